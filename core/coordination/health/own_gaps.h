// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/coordination/health/cause_election.h"
#include "core/coordination/state/job_rules.h"

namespace lockstep::coordination {

/// Times for which the coordinator itself did not run: a suspended machine, a stopped process.
/// Nobody else is to blame for what comes of them. No clock, no thread.
class OwnGaps {
public:
    explicit OwnGaps(const JobRules& rules);

    /// What was before explains no failure of processes that start now.
    void beginGeneration(Nanos now);
    /// The coordinator runs. How long it did not before, where that is more than jitter; else 0.
    [[nodiscard]] Nanos note(Nanos now);
    /// Whether the cause is no more than that processes gave up on a coordinator that did not run.
    /// Whoever was killed, or says its own error, is a cause all the same.
    [[nodiscard]] bool explains(const Evidence& cause, Nanos now) const;
    /// The time since the last one was over.
    [[nodiscard]] Nanos since(Nanos now) const { return now - end_; }
    /// How long the last one was.
    [[nodiscard]] Nanos length() const { return length_; }

private:
    [[nodiscard]] bool isFresh(Nanos now) const;

    Nanos heartbeatInterval_;
    Nanos heartbeatTimeout_;
    Nanos lastTurn_{};
    Nanos length_{};
    Nanos end_{};
};

}  // namespace lockstep::coordination
