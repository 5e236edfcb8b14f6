// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "core/tensor/cuda/layers/window_walk.h"

// What core/tensor/cpu/layers/pooling.h defines. Each number of a gradient is gathered by one
// thread from the windows above it, in their order.
namespace lockstep::tensor::cuda {

void launchMaxPooling(cudaStream_t stream, const WindowWalk& walk, std::size_t samples, bool relu,
                      const float* x, float* y);
void launchMaxPoolingGradient(cudaStream_t stream, const WindowWalk& walk, std::size_t samples,
                              bool relu, const float* x, const float* y, const float* dy,
                              float* dx);
void launchAveragePooling(cudaStream_t stream, const WindowWalk& walk, std::size_t samples,
                          const float* x, float* y);
void launchAveragePoolingGradient(cudaStream_t stream, const WindowWalk& walk, std::size_t samples,
                                  const float* dy, float* dx);

/// [samples, places, channels] to [samples, channels].
struct GlobalPlaces {
    std::size_t samples = 0;
    std::size_t places = 1;
    std::size_t channels = 1;
};
void launchGlobalMax(cudaStream_t stream, const GlobalPlaces& shape, const float* x, float* y);
void launchGlobalMaxGradient(cudaStream_t stream, const GlobalPlaces& shape, const float* x,
                             const float* y, const float* dy, float* dx);
void launchGlobalAverage(cudaStream_t stream, const GlobalPlaces& shape, const float* x, float* y);
void launchGlobalAverageGradient(cudaStream_t stream, const GlobalPlaces& shape, const float* dy,
                                 float* dx);

}  // namespace lockstep::tensor::cuda
