// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/training_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/plural.h"

namespace lockstep::train {

TrainingPlan TrainingPlan::make(const config::JobSpec& job, std::int64_t stepsOfData,
                                std::uint64_t seed) {
    TrainingPlan plan;
    const config::TrainingSpec& training = job.training;
    plan.stepsOfData = stepsOfData;
    plan.stepsPerEpoch =
        training.evaluateEverySteps > 0 ? training.evaluateEverySteps : stepsOfData;
    plan.endsBySteps = training.steps > 0;
    plan.totalSteps = plan.endsBySteps ? training.steps : stepsOfData * training.epochs;
    plan.checkpointEverySteps = job.checkpoint.everySteps;
    plan.checkpointEveryEpochs = job.checkpoint.everyEpochs;
    if (plan.checkpointEverySteps == 0 && plan.checkpointEveryEpochs == 0)
        plan.checkpointEveryEpochs = 1;
    plan.seed = seed;
    return plan;
}

Result<void> TrainingPlan::startAt(std::int64_t step) {
    if (step <= totalSteps) {
        firstStep = step;
        return {};
    }
    const std::string message =
        fmt::format("the checkpoint is of step {}, and the job ends at step {}", step, totalSteps);
    if (endsBySteps)
        return fail(ErrorCode::BadInput, message,
                    fmt::format("Resume with training.steps = {} or more.", step));
    return fail(ErrorCode::BadInput,
                fmt::format("{} ({} of {})", message, counted(totalSteps / stepsOfData, "epoch"),
                            counted(stepsOfData, "step")),
                fmt::format("Resume with training.epochs = {} or more.",
                            (step + stepsOfData - 1) / stepsOfData));
}

bool TrainingPlan::wantsCheckpoint(std::int64_t step) const {
    if (step == totalSteps) return true;
    if (checkpointEverySteps > 0 && step % checkpointEverySteps == 0) return true;
    return checkpointEveryEpochs > 0 && endsEpoch(step) &&
           epochOf(step) % checkpointEveryEpochs == 0;
}

std::int64_t TrainingPlan::nextCheckpoint(std::int64_t step) const {
    if (step >= totalSteps) return 0;
    std::int64_t next = totalSteps;
    for (const std::int64_t every : {checkpointEverySteps, checkpointEveryEpochs * stepsPerEpoch})
        if (every > 0) next = std::min(next, (step / every + 1) * every);
    return next;
}

std::int64_t TrainingPlan::checkpointInterval() const {
    const std::int64_t ofEpochs = checkpointEveryEpochs * stepsPerEpoch;
    if (checkpointEverySteps == 0) return ofEpochs;
    return ofEpochs == 0 ? checkpointEverySteps : std::min(checkpointEverySteps, ofEpochs);
}

}  // namespace lockstep::train
