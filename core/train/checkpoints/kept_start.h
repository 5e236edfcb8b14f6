// SPDX-License-Identifier: Apache-2.0
// How a new generation agrees on the step that it goes on from, of those that its processes have
// kept in memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/collective/store.h"
#include "core/data/dataset.h"
#include "core/train/checkpoints/start_point.h"
#include "core/train/replica/kept_steps.h"

namespace lockstep::train {

/// What a process can go on from.
struct KeptOffer {
    std::vector<std::int64_t> steps{};  ///< Newest first.
    std::string trouble{};              ///< See KeptSteps, as the next two.
    bool isDistrusted = false;
    std::uint64_t lineage = 0;

    [[nodiscard]] bool operator==(const KeptOffer&) const = default;
};
[[nodiscard]] KeptOffer offerOf(const KeptSteps& kept);

/// What all can go on from.
struct KeptChoice {
    std::int64_t step = 0;  ///< The newest step that all offer; 0: there is none,
    std::string why{};      ///< for this reason.
    /// Who has lost it, and gets it from the host of process 0. Ascending.
    std::vector<int> fed{};

    [[nodiscard]] bool operator==(const KeptChoice&) const = default;
};
/// Who can give others what they have lost.
struct KeptFeeding {
    /// The processes that share memory with process 0, and so have a step whole together; process
    /// 0 alone knows what epochs have led to. Empty: nobody is fed.
    std::vector<int> source{};
    /// Why nobody can be, though the source has a step: a sentence's end. Empty: they can.
    std::string whyNot{};
};
/// By process. Pure. Where somebody lacks every step that the others have: the newest one that the
/// source has whole, of those that all have who have any, else of its own.
[[nodiscard]] KeptChoice newestOfAll(std::span<const KeptOffer> offers,
                                     const KeptFeeding& feeding = {});

/// From each process to the chief, through the job's store.
[[nodiscard]] Result<void> announceKept(collective::Store& store, int process,
                                        const KeptOffer& offer);
/// On the chief, whose own offer is `own`, of so many processes. What is of another lineage than
/// the chief's counts as nothing.
[[nodiscard]] Result<KeptChoice> chooseKept(collective::Store& store, int processes,
                                            const KeptOffer& own, Nanos timeout,
                                            const KeptFeeding& feeding = {});

/// On the chief: where the run goes on, of which replica 0 kept the step. Corrupt: what it kept
/// cannot be read.
[[nodiscard]] Result<StartPoint> startOfKept(const KeptReplica& first, std::int64_t step,
                                             const data::Dataset& data);

}  // namespace lockstep::train
