// SPDX-License-Identifier: Apache-2.0
// What a replica decides at the end of an epoch, together with all others.
#include <tuple>
#include <vector>

#include "core/train/replica/replica_loop.h"

#include "core/base/try.h"

namespace lockstep::train {

Result<void> ReplicaLoop::decideEpoch(std::int64_t step) {
    if (!watch_.isActive()) return {};
    if (setup_.events != nullptr)
        std::ignore = watch_.epochEnded(
            {setup_.plan.epochOf(step), step, outcome_.train, outcome_.validation});
    return agreeOnWatch(step);
}

/// Replica 0's decision becomes everybody's: it alone has the figures of an epoch that a resume
/// went on with. All call this after the same step.
Result<void> ReplicaLoop::agreeOnWatch(std::int64_t step) {
    if (!watch_.isActive()) return {};
    enter(wire::PHASE_EVALUATE);
    const std::uint64_t mine[] = {watch_.wantsStop() ? std::uint64_t{1} : 0,
                                  static_cast<std::uint64_t>(watch_.best().step)};
    std::vector<std::uint64_t> all(std::size(mine) *
                                   static_cast<std::size_t>(setup_.communicator.replicaCount()));
    TRY(setup_.communicator.allGather(mine, all));
    outcome_.bestStep = static_cast<std::int64_t>(all[1]);
    if (setup_.events != nullptr) outcome_.best = watch_.best();
    // After the last step there is nothing left to stop.
    if (all[0] == 0 || step >= setup_.plan.totalSteps) return {};
    outcome_.stoppedEarlyAtEpoch = setup_.plan.epochOf(step);
    outcome_.stopped = false;  // it ends by itself, whatever was requested meanwhile
    if (setup_.events != nullptr) setup_.events->stoppedEarly(watch_.stopSentence());
    return {};
}

}  // namespace lockstep::train
