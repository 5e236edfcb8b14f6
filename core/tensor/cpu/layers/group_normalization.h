// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/tensor/cpu/kernels.h"
#include "core/tensor/cpu/layers/vector_loops.h"

namespace lockstep::tensor {

/// [samples, places, channels]; a group is some neighbouring channels at all places of a sample.
struct GroupShape {
    std::size_t samples = 1;
    std::size_t places = 1;
    std::size_t channels = 1;
    std::size_t groups = 1;  ///< Divides channels.

    [[nodiscard]] std::size_t size() const { return samples * places * channels; }
};

/// Weight (otherwise 1) and bias (otherwise 0) [channels] may be empty.
struct GroupNormalization {
    std::span<const float> weight;
    std::span<const float> bias;
    float epsilon = 1e-3F;
};

/// y = (x - mean) / sqrt(variance + epsilon) * weight + bias. Keeps mean and inverse deviation
/// [samples, groups] for the gradient. Sums are in doubles. y may be x; a sample's result does not
/// depend on the others.
void groupNormalize(const GroupShape& shape, std::span<const float> x,
                    const GroupNormalization& with, std::span<float> mean,
                    std::span<float> inverseDeviation, std::span<float> y,
                    VectorIsa isa = bestIsa());

/// dx of the same; dx may be dy.
void groupNormalizeGradient(const GroupShape& shape, std::span<const float> dy,
                            std::span<const float> x, const GroupNormalization& with,
                            std::span<const float> mean, std::span<const float> inverseDeviation,
                            std::span<float> dx, VectorIsa isa = bestIsa());

/// Gradients of weight and bias, either of which may be empty.
void groupNormalizeWeightGradient(const GroupShape& shape, std::span<const float> dy,
                                  std::span<const float> x, std::span<const float> mean,
                                  std::span<const float> inverseDeviation, std::span<float> dWeight,
                                  std::span<float> dBias, VectorIsa isa = bestIsa());

}  // namespace lockstep::tensor
