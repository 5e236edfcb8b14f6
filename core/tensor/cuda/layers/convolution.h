// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include "core/tensor/cuda/layers/window_walk.h"

// A convolution is a product of its weight with the pixels below each window, side by side: what
// brings them there and back. In groups it is computed directly.
namespace lockstep::tensor::cuda {

/// columns [samples * places, taps * channels]: the pixels below each window, tap by tap. T: what
/// products are computed in.
template <typename T>
void launchGatherWindows(cudaStream_t stream, const WindowWalk& walk, std::size_t samples,
                         const float* x, T* columns);
/// dx: for each pixel the sum of what lies in its places of `columns`, in the windows' order.
void launchScatterWindows(cudaStream_t stream, const WindowWalk& walk, std::size_t samples,
                          const float* columns, float* dx);

/// [filters, taps, channels] of [filters, channels, taps].
template <typename T>
void launchWeightByTaps(cudaStream_t stream, std::size_t filters, std::size_t channels,
                        std::size_t taps, const float* weight, T* byTaps);
/// [channels, taps, filters] of it, the taps in the opposite order.
template <typename T>
void launchWeightTurned(cudaStream_t stream, std::size_t filters, std::size_t channels,
                        std::size_t taps, const float* weight, T* turned);
/// The way back of launchWeightByTaps().
void launchWeightByChannels(cudaStream_t stream, std::size_t filters, std::size_t channels,
                            std::size_t taps, const float* byTaps, float* weight);

struct GroupedConvolution {
    WindowWalk walk;
    std::int32_t filters = 1;
    std::int32_t groups = 1;
};
/// weight [filters, channels / groups, taps].
void launchGroupedForward(cudaStream_t stream, const GroupedConvolution& shape, std::size_t samples,
                          const float* x, const float* weight, float* y);
void launchGroupedInputGradient(cudaStream_t stream, const GroupedConvolution& shape,
                                std::size_t samples, const float* dy, const float* weight,
                                float* dx);
/// Sums over samples and places, in an order that depends on their number alone.
void launchGroupedWeightGradient(cudaStream_t stream, const GroupedConvolution& shape,
                                 std::size_t samples, const float* x, const float* dy,
                                 float* dWeight);

}  // namespace lockstep::tensor::cuda
