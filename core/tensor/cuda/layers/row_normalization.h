// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

// Layer, root-mean-square and group normalisation, as core/tensor/cpu/layers has them.
namespace lockstep::tensor::cuda {

/// Over the columns of each row.
struct NormalizedRows {
    std::size_t rows = 0;
    std::size_t columns = 1;
    float epsilon = 0;
    std::uint32_t isRootMeanSquare = 0;  ///< No mean is taken away.
    const float* weight = nullptr;       ///< Null: 1.
    const float* bias = nullptr;         ///< Null: 0.
};
/// `moments`: means of all rows, then inverse deviations; null: not kept.
void launchNormalizeRows(cudaStream_t stream, const NormalizedRows& shape, const float* x, float* y,
                         float* moments);
void launchRowInputGradient(cudaStream_t stream, const NormalizedRows& shape, const float* dy,
                            const float* x, const float* moments, float* dx);

/// Over some neighbouring channels at all places of a sample.
struct NormalizedGroups {
    std::size_t samples = 0;
    std::size_t places = 1;
    std::size_t channels = 1;
    std::uint32_t groups = 1;
    float epsilon = 0;
    const float* weight = nullptr;
    const float* bias = nullptr;
};
void launchNormalizeGroups(cudaStream_t stream, const NormalizedGroups& shape, const float* x,
                           float* y, float* moments);
void launchGroupInputGradient(cudaStream_t stream, const NormalizedGroups& shape, const float* dy,
                              const float* x, const float* moments, float* dx);

}  // namespace lockstep::tensor::cuda
