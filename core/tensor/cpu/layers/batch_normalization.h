// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/tensor/cpu/kernels.h"
#include "core/tensor/cpu/layers/vector_loops.h"
#include "core/tensor/matrix.h"

namespace lockstep::tensor {

// Batch normalisation in steps, so that replicas can add up their sums in between: rows are the
// places of all images, columns the channels. The sums are of doubles: a float's square is exact in
// one, and a variance that is 1e-6 of the squared mean keeps nine digits, so that no second pass
// and no agreement on a shift between replicas is needed.

/// sum[c] of x, and sumOfSquares[c] of x². In blocks of rows; the order depends on the shape alone.
void batchSums(ConstMatrix x, std::span<double> sum, std::span<double> sumOfSquares,
               VectorIsa isa = bestIsa());

/// mean = sum / count, variance = biased, inverseDeviation = 1 / sqrt(variance + epsilon).
/// `count` is the number of rows of all replicas, at least 1.
void batchMoments(std::span<const double> sum, std::span<const double> sumOfSquares, double count,
                  float epsilon, std::span<float> mean, std::span<float> variance,
                  std::span<float> inverseDeviation);

/// What a normalisation is done with, channel by channel. `weight` (otherwise 1) and `bias`
/// (otherwise 0) may be empty.
struct Normalization {
    std::span<const float> mean;
    std::span<const float> inverseDeviation;
    std::span<const float> weight;
    std::span<const float> bias;
};

/// y = (x - mean) * (inverseDeviation * weight) + bias, then max(y, 0) where `relu`; NaN stays NaN.
/// y may be x.
void normalize(ConstMatrix x, const Normalization& with, bool relu, Matrix y,
               VectorIsa isa = bestIsa());

/// sumDy[c] of dy, and sumDyXhat[c] of dy * (x - mean) * inverseDeviation: the gradients of bias
/// and weight, and what inputGradient needs. Where relu was fused `y` is normalize's result, and dy
/// counts where y is above 0 alone; otherwise it is empty.
void batchGradientSums(ConstMatrix dy, ConstMatrix x, ConstMatrix y, const Normalization& with,
                       std::span<double> sumDy, std::span<double> sumDyXhat,
                       VectorIsa isa = bestIsa());

/// dx = inverseDeviation * weight * (dy - sumDy / count - xhat * sumDyXhat / count), dy masked as
/// above; the sums and the count of all replicas. dx may be dy.
void batchInputGradient(ConstMatrix dy, ConstMatrix x, ConstMatrix y, const Normalization& with,
                        std::span<const double> sumDy, std::span<const double> sumDyXhat,
                        double count, Matrix dx, VectorIsa isa = bestIsa());

}  // namespace lockstep::tensor
