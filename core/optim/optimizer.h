// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/tensor/ops.h"

namespace lockstep::optim {

/// The optimiser's state arrays; as many as momentCount() are used, the others may be empty.
using Moments = std::array<std::span<float>, 2>;

/// What one step of Adam multiplies with: learningRate * sqrt(1 - beta2^step) / (1 - beta1^step).
/// The same bits on every processor.
[[nodiscard]] double adamStepSize(double learningRate, double beta1, double beta2,
                                  std::int64_t step);

/// SGD as in PyTorch or Adam as in Keras, one fused pass over a range of flat buffers. A value: the
/// state is the caller's, who may cut the buffers into ranges as it likes without changing a bit of
/// the result.
class Optimizer {
public:
    /// BadInput when a setting is not a finite number in its range.
    [[nodiscard]] static Result<Optimizer> make(const config::TrainingSpec& training);

    /// State arrays as long as the parameters, all zero before step 1: 0 for SGD, 1 with momentum
    /// (the momentum buffer), 2 for Adam (first and second moments).
    [[nodiscard]] int momentCount() const;

    /// Updates parameters and moments in [begin, end) from `gradients`, the mean over the global
    /// batch. All spans are whole flat buffers. `step` counts from 1.
    void update(tensor::Ops& ops, tensor::Stream& stream, std::size_t begin, std::size_t end,
                std::span<const float> gradients, std::span<float> parameters,
                const Moments& moments, std::int64_t step) const;

private:
    explicit Optimizer(const config::TrainingSpec& training);

    config::OptimizerKind kind_;
    double learningRate_;
    double momentum_;
    double beta1_;
    double beta2_;
    double epsilon_;
};

}  // namespace lockstep::optim
