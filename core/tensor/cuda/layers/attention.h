// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "core/tensor/cuda/layers/random_units.h"

// The steps of attention over [samples, positions, 3 * width]: products of many small matrices, and
// what happens to the weights between them. Definitions: core/tensor/cpu/layers/attention.h.
namespace lockstep::tensor::cuda {

/// A matrix of each head of each sample; distances in elements.
struct HeadMatrix {
    std::size_t sample = 0;  ///< To the next sample.
    std::size_t head = 0;    ///< To the next head.
    std::size_t row = 0;
    std::size_t column = 0;
};

/// c [rows, columns] = factor * a [rows, inner] * b [inner, columns], for all heads of all samples.
struct HeadProduct {
    std::size_t samples = 0;
    std::uint32_t heads = 1;
    float factor = 1;
    std::size_t rows = 1;
    std::size_t columns = 1;
    std::size_t inner = 1;
    HeadMatrix a;
    HeadMatrix b;
    HeadMatrix c;
};
void launchHeadProduct(cudaStream_t stream, const HeadProduct& product, const float* a,
                       const float* b, float* c);

struct AttentionWeights {
    std::size_t samples = 0;
    std::size_t heads = 1;
    std::size_t positions = 1;
    std::size_t firstSample = 0;  ///< Of the batch, for the units that are dropped.
    std::size_t firstHead = 0;    ///< Where these are some of a network's heads: counts units.
    std::uint32_t isCausal = 0;
    std::uint32_t drops = 0;
    DropUnits drop;
};
/// Scores become weights [samples, heads, positions, positions], dropped ones 0; `logSums` gets the
/// logarithm of each row's sum.
void launchAttentionSoftmax(cudaStream_t stream, const AttentionWeights& shape,
                            const StepMoment* moment, float* weights, float* logSums);
/// Scores become weights again, and `dropped` what dropout makes of them (null: nothing is).
void launchAttentionWeights(cudaStream_t stream, const AttentionWeights& shape,
                            const StepMoment* moment, const float* logSums, float* weights,
                            float* dropped);
/// The gradient of the dropped weights becomes that of the scores.
void launchScoreGradient(cudaStream_t stream, const AttentionWeights& shape,
                         const StepMoment* moment, const float* weights, float* gradient);

}  // namespace lockstep::tensor::cuda
