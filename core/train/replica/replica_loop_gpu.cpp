// SPDX-License-Identifier: Apache-2.0
// The part of the loop that lets a GPU compute.
#include <algorithm>
#include <tuple>

#include "core/base/try.h"
#include "core/train/replica/gpu_program.h"
#include "core/train/replica/replica_loop.h"

namespace lockstep::train {

namespace {
/// Between them a stop is heard: some milliseconds of a GPU.
constexpr std::uint32_t kScoredAtATime = 16384;
}  // namespace

Result<std::int64_t> ReplicaLoop::runOnGpu(std::int64_t first) {
    const TrainingPlan& plan = setup_.plan;
    std::int64_t last = first;
    while (last < plan.totalSteps && !plan.endsEpoch(last) && !plan.wantsCheckpoint(last))
        ++last;
    enter(wire::PHASE_FORWARD);
    auto reached = setup_.gpu->run(first, last, setup_.stopRequested,
                                   [this](const GpuReplica::Step& step) { recordGpuStep(step); });
    if (!reached) return reached;
    const bool spoilt = gpuVotes_.notFinite > 0 && setup_.job.training.terminateOnNan;
    if (spoilt) return fail(checkVotes(*reached).error());
    TRY(setup_.gpu->bringState(statistics_));
    return reached;
}

void ReplicaLoop::recordGpuStep(const GpuReplica::Step& step) {
    gpuVotes_ = step.votes;
    takeTotals(step.mine);
    const bool applied = step.votes.notFinite == 0;
    if (!applied && setup_.job.training.terminateOnNan) return;  // it ends the run
    if (!applied) leaveOut(static_cast<std::int64_t>(step.record.step));
    tellBegin(static_cast<std::int64_t>(step.record.step));
    if (setup_.ring != nullptr) setup_.ring->push(step.record);
    setup_.progress.completeStep(step.record.step);
    if (applied) {
        outcome_.train.lossSum += step.votes.lossSum;
        outcome_.train.correct += step.votes.correct;
        outcome_.train.samples += step.votes.samples;
    }
    record_.step = step.record.step;
    keepStepTime(step.record.stepMicroseconds * 1e-3F);
    outcome_.trainSeconds += static_cast<double>(step.record.stepMicroseconds) * 1e-6;
    outcome_.samplesTrained += step.votes.samples;
    listenerStops_ = !tellEnd(static_cast<std::int64_t>(step.record.step)) || listenerStops_;
}

Result<SplitScore> ReplicaLoop::scoreShare(const data::Split& split, std::uint32_t first,
                                           std::uint32_t count) {
    const std::atomic<bool>& stop = setup_.stopRequested;
    if (setup_.mesh != nullptr) return scoreWithRow(split, first, count);
    if (setup_.gpu == nullptr)
        return evaluator_.score({evaluated(), statistics_}, split, first, count, &stop);
    const bool validation = &split == setup_.data.validation.get();
    const std::uint32_t end = first + count;
    SplitScore sum;
    while (first < end && !stop.load(std::memory_order_relaxed)) {
        const std::uint32_t piece = std::min(kScoredAtATime, end - first);
        auto scored =
            TRY(setup_.gpu->score(validation ? kValidationSplit : kTestSplit, first, piece));
        sum.add(scored);
        first += piece;
    }
    return sum;
}

}  // namespace lockstep::train
