// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "core/base/clock.h"

namespace lockstep::launch {

/// Of a thread that sleeps until something comes, which may be never.
inline constexpr Nanos kSleepsForLong = Nanos::max();

/// A thread that tells nobody how it is, or not all of it.
struct WatchedThread {
    std::string_view name;  ///< With '-' at its end: all whose names begin so.
    Nanos rest;             ///< For so long it sleeps at most, or waits for others' answers.
    std::string_view loss;  ///< What nobody does while it stands still.
    Nanos patience = std::chrono::seconds(10);  ///< For so long it may stand still.

    [[nodiscard]] bool isCalled(std::string_view other) const {
        return name.ends_with('-') ? other.starts_with(name) : other == name;
    }
};

/// All of them, of agents, workers and evaluators alike: a name is that of one thread of a process.
/// What is not here says itself how it is: heartbeats, telemetry, loading, the journal, a commit.
inline constexpr std::array kWatchedThreads{
    // Its phase says how far it is, but where it waits for another one both look alike: who is
    // held there is known by this alone, before both are called stuck.
    WatchedThread{"train-", kSleepsForLong, "the training stands still, and the others wait for it",
                  std::chrono::seconds(3)},
    WatchedThread{"zap", std::chrono::seconds(1),
                  "nobody can connect to the run any more, and no restart succeeds; who is "
                  "connected stays so"},
    WatchedThread{"events", std::chrono::seconds(1),
                  "TensorBoard's event files and epochs.csv get nothing new; the journal has it "
                  "all"},
    WatchedThread{"journal-read", kSleepsForLong,
                  "who follows the run gets nothing of before any more"},
    WatchedThread{"checkpoints", std::chrono::seconds(1),
                  "hosts that do not see the run's folder get no checkpoint and no copy of the "
                  "journal"},
    WatchedThread{"copies", std::chrono::seconds(20),
                  "the copy of the run that this host keeps gets nothing new"},
    WatchedThread{"files", std::chrono::seconds(1),
                  "figures that the program writes to files are not shown any more"},
    WatchedThread{"gloo-watch", kSleepsForLong,
                  "where another process is lost, this one notices only when the job ends"},
    // The end of a failed connection waits for the GPU's work on it.
    WatchedThread{"nccl-watch", std::chrono::seconds(20),
                  "errors of NCCL are not noticed, and nothing that waits in it can be ended but "
                  "by force"},
    WatchedThread{"sigterm-watch", kSleepsForLong,
                  "a SIGTERM, as of a preemption, is not answered; `lockstepctl stop` stops the "
                  "job in order"},
    WatchedThread{"commit-watch", std::chrono::seconds(1),
                  "a checkpoint whose disk hangs is not told of"},
};

}  // namespace lockstep::launch
