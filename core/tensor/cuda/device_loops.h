// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "core/tensor/cuda/element_math.h"

// What the kernels' sources share: which elements a thread takes, and sums of a warp and of a
// block, each in one order, so that a result depends on the operands alone.
namespace lockstep::tensor::cuda {

/// Of a grid's second and third dimension; what is more is walked through in strides.
inline unsigned blocksAside(std::size_t count) {
    constexpr std::size_t kMost = 65535;
    return static_cast<unsigned>(count < kMost ? count : kMost);
}

/// Neighbours that a thread reads and writes at once: of 16 bytes as floats.
inline constexpr unsigned kQuad = 4;
template <typename T>
struct alignas(kQuad * sizeof(T)) Quad {
    T values[kQuad];
};
/// Numbers by quads: they begin at a multiple of one.
template <typename T>
LS_BOTH const Quad<T>* quadsOf(const T* numbers) {
    return reinterpret_cast<const Quad<T>*>(numbers);
}
template <typename T>
LS_BOTH Quad<T>* quadsOf(T* numbers) {
    return reinterpret_cast<Quad<T>*>(numbers);
}

__device__ inline std::size_t firstElement() {
    return static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline std::size_t elementStride() {
    return static_cast<std::size_t>(gridDim.x) * blockDim.x;
}
__device__ inline std::size_t firstWarp() {
    return firstElement() / kWarp;
}
__device__ inline std::size_t warpStride() {
    return elementStride() / kWarp;
}

/// The same in every lane.
__device__ inline float warpSum(float value) {
    for (unsigned width = kWarp; width > 1; width /= 2)
        value += __shfl_xor_sync(0xFFFFFFFFU, value, width / 2);
    return value;
}
__device__ inline double warpSumOfDoubles(double value) {
    for (unsigned width = kWarp; width > 1; width /= 2)
        value += __shfl_xor_sync(0xFFFFFFFFU, value, width / 2);
    return value;
}
/// A NaN may be passed over.
__device__ inline float warpLargest(float value) {
    for (unsigned width = kWarp; width > 1; width /= 2) {
        const float other = __shfl_xor_sync(0xFFFFFFFFU, value, width / 2);
        value = other > value ? other : value;
    }
    return value;
}

/// Of a block of kThreads; the same in every thread.
__device__ inline double blockSum(double value) {
    __shared__ double sums[kThreads / kWarp];
    const double mine = warpSumOfDoubles(value);
    if (threadIdx.x % kWarp == 0) sums[threadIdx.x / kWarp] = mine;
    __syncthreads();
    double total = 0;
    for (unsigned warp = 0; warp < kThreads / kWarp; ++warp)
        total += sums[warp];
    __syncthreads();
    return total;
}

/// Blocks for a warp a row.
inline unsigned blocksForRows(std::size_t rows) {
    return blocksFor(rows * kWarp);
}

}  // namespace lockstep::tensor::cuda
