// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/base/clock.h"
#include "core/coordination/state/job_rules.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

/// How long a replica may be in a phase before it counts as stuck: from the steps, checkpoints and
/// evaluations that the job has shown so far. No clock, no thread.
class PhaseLimits {
public:
    explicit PhaseLimits(ProgressLimits limits) : limits_(limits) {}

    /// Steps were measured; the median of the newest few hundred sets the limit.
    void addSteps(const wire::StepBatch& steps);
    /// A replica has left a phase, in which it was for as long as this or a little longer.
    void left(wire::Phase phase, Nanos age);
    /// A checkpoint or a validation is over, however short: heartbeats show the long ones alone.
    void completed(wire::Phase phase);
    /// From here on nothing is like before: best weights are read, and the test data are others.
    void beginTest() { isTesting_ = true; }

    /// `isRegular`: it makes its checkpoints and evaluations all alike.
    [[nodiscard]] Nanos of(wire::Phase phase, bool isRegular = true) const;
    /// Of what a replica does alike, for which none of those that are done took longer than this.
    [[nodiscard]] Nanos likeOthers(Nanos longest) const;

private:
    [[nodiscard]] Nanos scaled(Nanos usual, Nanos least) const;
    [[nodiscard]] Nanos ofStep(wire::Phase phase) const;
    [[nodiscard]] Nanos ofOccasion(wire::Phase phase, Nanos first) const;
    [[nodiscard]] Nanos medianStep() const;

    ProgressLimits limits_;
    std::vector<float> stepMicroseconds_;  // a ring
    std::size_t nextStepTime_ = 0;
    std::map<wire::Phase, Nanos> longest_;
    std::set<wire::Phase> completed_;
    bool isTesting_ = false;
};

}  // namespace lockstep::coordination
