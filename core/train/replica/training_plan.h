// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"

namespace lockstep::train {

/// When things happen in a run. Steps are counted from 1 over all epochs; a step is done when
/// every replica holds the updated weights. An epoch is what lies between two validations: once
/// through the training set, or training.evaluate_every_steps.
struct TrainingPlan {
    std::int64_t stepsPerEpoch = 1;
    std::int64_t stepsOfData = 1;  ///< Once through the training set.
    bool endsBySteps = false;      ///< training.steps says where, not training.epochs.
    std::int64_t totalSteps = 0;
    std::int64_t firstStep = 0;  ///< Done before this start: 0, or where a checkpoint resumes.
    std::int64_t checkpointEverySteps = 0;   ///< 0: not by steps.
    std::int64_t checkpointEveryEpochs = 0;  ///< 0: not by epochs.
    std::uint64_t seed = 0;

    /// `stepsOfData`: once through the training set.
    [[nodiscard]] static TrainingPlan make(const config::JobSpec& job, std::int64_t stepsOfData,
                                           std::uint64_t seed);

    /// Continues behind `step` steps. BadInput when the plan ends before.
    [[nodiscard]] Result<void> startAt(std::int64_t step);

    /// 1-based epoch that `step` belongs to.
    [[nodiscard]] int epochOf(std::int64_t step) const {
        return static_cast<int>((step - 1) / stepsPerEpoch) + 1;
    }
    /// The last step ends an epoch, too, be it a shorter one.
    [[nodiscard]] bool endsEpoch(std::int64_t step) const {
        return step % stepsPerEpoch == 0 || step == totalSteps;
    }
    [[nodiscard]] std::int64_t epochs() const {
        return (totalSteps + stepsPerEpoch - 1) / stepsPerEpoch;
    }
    /// After this step a checkpoint is written; always after the last one.
    [[nodiscard]] bool wantsCheckpoint(std::int64_t step) const;
    /// The first of those steps behind `step`; 0: there is none.
    [[nodiscard]] std::int64_t nextCheckpoint(std::int64_t step) const;
    /// Steps from one to the next, at most.
    [[nodiscard]] std::int64_t checkpointInterval() const;
};

}  // namespace lockstep::train
