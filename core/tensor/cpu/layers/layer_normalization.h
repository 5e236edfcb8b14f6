// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/tensor/cpu/kernels.h"
#include "core/tensor/cpu/layers/vector_loops.h"
#include "core/tensor/matrix.h"

namespace lockstep::tensor {

/// Over the columns of each row. `weight` (otherwise 1) and `bias` (otherwise 0) [columns] may be
/// empty.
struct RowNormalization {
    std::span<const float> weight;
    std::span<const float> bias;
    float epsilon = 1e-3F;
    /// No mean is taken away: the deviation is the root of the mean square.
    bool isRootMeanSquare = false;
};

/// y = (x - mean) / sqrt(variance + epsilon) * weight + bias. Keeps each row's mean (0 for the root
/// mean square) and inverse deviation for the gradient. y may be x. NaN makes a row NaN.
void layerNormalize(ConstMatrix x, const RowNormalization& with, std::span<float> mean,
                    std::span<float> inverseDeviation, Matrix y, VectorIsa isa = bestIsa());

/// dx of the same; dx may be dy.
void layerNormalizeGradient(ConstMatrix dy, ConstMatrix x, const RowNormalization& with,
                            std::span<const float> mean, std::span<const float> inverseDeviation,
                            Matrix dx, VectorIsa isa = bestIsa());

/// Gradients of weight and bias, either of which may be empty: sums over rows, in doubles.
void layerNormalizeWeightGradient(ConstMatrix dy, ConstMatrix x, std::span<const float> mean,
                                  std::span<const float> inverseDeviation, std::span<float> dWeight,
                                  std::span<float> dBias, VectorIsa isa = bestIsa());

}  // namespace lockstep::tensor
