// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/clock.h"
#include "core/coordination/state/process_key.h"

namespace lockstep::coordination {

using namespace std::chrono_literals;

/// Both times of one moment: deadlines use `now`, records that people read carry `wall`.
struct Instant {
    Nanos now{};      ///< Monotonic.
    double wall = 0;  ///< Seconds since 1970, UTC.
};

/// How long a replica may stay in one phase before the coordinator says that it is stuck. It is to
/// be said within 10 s, or five steps: a tenth is left for its last word and for the coordinator's
/// next look.
struct ProgressLimits {
    double stepFactor = 4.5;      ///< Times the median step...
    Nanos stepMinimum = 9s;       ///< ...but never less than this.
    Nanos beforeFirstStep = 60s;  ///< While no step time is known yet.
    Nanos starting = 300s;
    Nanos checkpoint = 420s;
    Nanos evaluate = 420s;
    Nanos repeat = 10s;  ///< A standing verdict is said again, with its new age.
};

/// What is done about a job that is stuck: alive, but not moving.
enum class StuckAction : std::uint8_t { Wait, Restart, Stop };

struct StuckRules {
    StuckAction action = StuckAction::Wait;
    Nanos grace = 30s;  ///< After it was named; nothing is done before.
};

/// When a replica is called slow: a straggler that makes the others wait in every step.
struct SlowRules {
    double cost = 0.15;         ///< Part of each step that the others wait for it, at least;
    double costNoMore = 0.075;  ///< below this it keeps up again.
    double spreads = 4;         ///< So many times what replicas differ among themselves, at least.
    /// How many times the smallest share of the samples the largest one is, as the chief tells:
    /// infinite where somebody has none.
    double unevenness = 1;
    std::uint64_t firstSteps = 5;  ///< Of each replica are not judged.
    double sliceSeconds = 2;       ///< Steps are judged in slices of so much training at least.
    /// Steps vary, and the mean of few says little: in a slice of n steps the price must be this by
    /// the root of n. A slice goes on until somebody's is, or for as many steps as `cost` takes.
    double plainness = 0.6;
    std::size_t slices = 6;  ///< So many are judged together,
    std::size_t alike = 5;   ///< of which so many must say the same.
};

/// What becomes of checkpoints that come faster than they are scored.
struct ScoringRules {
    bool newestOnly = false;       ///< Older ones are passed over as soon as a newer one is there.
    std::size_t mostWaiting = 10;  ///< The oldest gives way to another one; at least 1.
};

/// What the coordinator expects of a job, and how long it waits for what.
struct JobRules {
    std::string runId;
    std::string build;  ///< Must be equal for all; empty: that of the first to register.
    std::uint32_t workers = 1;
    std::uint32_t evaluators = 0;
    bool runsOwnProgram = false;  ///< A user's: what it keeps when it is stopped is its own affair.
    ScoringRules scoring;
    /// Whose agent may speak of which process; one that is not named has none but the hosting one.
    /// Empty: an agent speaks of processes that have registered from its host.
    std::map<ProcessKey, std::uint32_t> agents;
    std::uint64_t seedWord = 0;  ///< Told to all in their Welcome.
    Nanos initializationTimeout = 300s;
    Nanos heartbeatInterval = 1s;  ///< At most: four of them come within the timeout.
    Nanos heartbeatTimeout = 10s;
    Nanos exitGrace = 500ms;      ///< How long an exit with an error waits for a better cause,
    Nanos followUpGrace = 500ms;  ///< and an error that is because of another process.
    /// How long the end of a job's own program waits for its last words, which its agent has.
    Nanos foretoldGrace = 8s;
    Nanos drainTimeout = 60s;  ///< After the chief has left: for the others and the evaluator.
    ProgressLimits progress;
    SlowRules slow;
    StuckRules stuck;
};

}  // namespace lockstep::coordination
