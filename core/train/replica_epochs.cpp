// SPDX-License-Identifier: Apache-2.0
// What a replica decides at the end of an epoch, together with all others.
#include <fmt/format.h>

#include <tuple>
#include <vector>

#include "core/config/monitor.h"
#include "core/train/replica_loop.h"
#include "core/train/state_tensors.h"

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
    if (auto gathered = setup_.communicator.allGather(mine, all); !gathered) return gathered;
    outcome_.bestStep = static_cast<std::int64_t>(all[1]);
    if (setup_.events != nullptr) outcome_.best = watch_.best();
    // After the last step there is nothing left to stop.
    if (all[0] == 0 || step >= setup_.plan.totalSteps) return {};
    outcome_.stoppedEarlyAtEpoch = setup_.plan.epochOf(step);
    outcome_.stopped = false;  // it ends by itself, whatever was requested meanwhile
    if (setup_.events != nullptr) setup_.events->stoppedEarly(watch_.stopSentence());
    return {};
}

/// The run's last weights are those of its best epoch, where the job asks for it.
Result<void> ReplicaLoop::restoreBest() {
    const bool isBest = outcome_.bestStep == 0 || outcome_.bestStep == outcome_.step;
    if (!config::restoresBest(setup_.job) || isBest) return {};
    enter(wire::PHASE_CHECKPOINT);
    collective::Communicator& communicator = setup_.communicator;
    if (setup_.events != nullptr) {
        auto best = setup_.events->bestCheckpoint(outcome_.bestStep);
        if (best) {
            const auto state = moments();
            auto restored = restoreModel(setup_.network, *best, communicator.parameters());
            if (restored) restored = restoreOptimizer(setup_.network, *best, state);
            if (!restored) best = fail(restored.error());
        }
        if (!best)
            return fail(ErrorCode::Io,
                        fmt::format("the best weights, of step {}, cannot be restored: {}",
                                    outcome_.bestStep, best.error().message),
                        "The newest checkpoint holds the last weights; set "
                        "early_stopping.restore_best to false and resume to end with them.");
    }
    if (auto sent = communicator.broadcastState(); !sent) return sent;
    if (setup_.gpu != nullptr)
        if (auto taken = setup_.gpu->takeState(); !taken) return taken;
    outcome_.restoredStep = outcome_.bestStep;
    if (setup_.data.validation->count == 0) return {};
    auto score = scoreTogether(*setup_.data.validation);
    if (!score) return fail(score.error());
    outcome_.validation = *score;
    return {};
}

}  // namespace lockstep::train
