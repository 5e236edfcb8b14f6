// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/tensor/cuda/layers/pointwise.h"

// What core/tensor/cpu/layers/batch_normalization.h defines, of [rows, channels].
namespace lockstep::tensor::cuda {

struct ChannelMoments {
    float epsilon = 0;
    float momentum = 0;
    std::uint32_t channels = 1;
    const double* sums = nullptr;  ///< Of values, of their squares, and the count.
    float* moments = nullptr;      ///< Means, then inverse deviations.
    float* runningMean = nullptr;
    float* runningVariance = nullptr;
};
/// Moments of the batch from its sums; where there are samples the running ones follow them.
void launchBatchMoments(cudaStream_t stream, const ChannelMoments& shape);
/// Moments from the running ones: what a batch is taken to be where nothing is trained.
void launchRunningMoments(cudaStream_t stream, const ChannelMoments& shape);

struct NormalizedChannels {
    std::size_t rows = 0;
    std::uint32_t channels = 1;
    const float* moments = nullptr;
    const float* weight = nullptr;  ///< Null: 1.
    const float* bias = nullptr;    ///< Null: 0.
};
void launchNormalizeChannels(cudaStream_t stream, const NormalizedChannels& shape,
                             Activate activate, const float* x, float* y);
/// `sums`: of the gradient, of it times what is normalised, and the count. `factors`: room for 3 *
/// channels floats. Where `y` is given, dy counts where that is above 0.
void launchBatchInputGradient(cudaStream_t stream, const NormalizedChannels& shape,
                              const double* sums, const float* dy, const float* x, const float* y,
                              float* factors, float* dx);

}  // namespace lockstep::tensor::cuda
