// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/data/batch_plan.h"
#include "core/data/dataset.h"
#include "core/program/cuda_programs.h"
#include "core/program/network.h"
#include "core/tensor/step_engine.h"

namespace lockstep::app {

/// Digits and the guide's network, small: what the checks of whole steps train.
struct Sample {
    config::JobSpec job;
    data::Dataset data;
    std::unique_ptr<program::Network> network;
    std::vector<float> parameters;  ///< Fresh, as are the statistics.
    std::vector<float> statistics{};

    [[nodiscard]] static Sample make(int batch, config::OptimizerKind optimizer);
    /// With convolutions, a batch normalisation, pooling and dropout.
    [[nodiscard]] static Sample convolutional(int batch, config::OptimizerKind optimizer);
    /// As the job's steps on a GPU. A mode of the checks, not of jobs: `captured`.
    [[nodiscard]] program::EnginePrograms programs(config::Precision precision,
                                                   bool captured) const;
    [[nodiscard]] Result<std::unique_ptr<tensor::StepEngine>> engine(
        config::Precision precision, bool captured, tensor::DeviceReducer* reducer) const;
    [[nodiscard]] data::BatchPlan batches() const;
    /// Step `step` (from 1) of one replica that has the whole batch.
    [[nodiscard]] tensor::EngineStep stepAt(std::int64_t step) const;

private:
    /// Data, network and state, where the job is there.
    void complete();
};

/// [model] of a job, written without a mistake.
[[nodiscard]] config::ModelSpec describedModel(const std::string& text);

/// What a device makes of the factors of its products. Units that flip at ReLU's edge turn a
/// rounding of 0.2 % into some 4 % of the gradients' length, so a format is held against itself.
enum class Rounding : std::uint8_t { None, BFloat16, Tf32Nearest, Tf32TowardsZero };

/// Gradients and loss of samples of the training split in double precision, by plain loops, with
/// factors rounded as a device does: the measure for every other way to compute them.
struct Reference {
    std::vector<double> gradients;  ///< Laid out as the network's flat buffers.
    double lossSum = 0;
};
[[nodiscard]] Reference referenceGradients(const Sample& sample,
                                           std::span<const std::uint32_t> samples,
                                           Rounding rounding);

/// |a - b| / |b| over all elements.
[[nodiscard]] double relativeError(std::span<const float> a, std::span<const double> b);
[[nodiscard]] double relativeError(std::span<const float> a, std::span<const float> b);

/// "relative error 1.2e-07", or the failure when it is above `most`.
[[nodiscard]] Result<std::string> judge(double error, double most);

}  // namespace lockstep::app
