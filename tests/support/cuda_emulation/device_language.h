// SPDX-License-Identifier: Apache-2.0
// What a kernel's source takes from CUDA's compiler, for a C++ compiler.
#pragma once

#include <cuda_bf16.h>
#include <cuda_runtime_api.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>

#include "tests/support/cuda_emulation/block.h"

#undef __shared__
#define __shared__ static  // one block runs at a time
#define threadIdx (cuda_emulation::place.thread)
#define blockIdx (cuda_emulation::place.block)
#define blockDim (cuda_emulation::place.blockSize)
#define gridDim (cuda_emulation::place.gridSize)

inline void __syncthreads() {
    cuda_emulation::waitForBlock();
}

inline void __syncwarp() {
    cuda_emulation::waitForWarp();
}

template <typename T>
T __shfl_xor_sync(unsigned /*all lanes*/, T value, unsigned lanes) {
    T theirs{};
    cuda_emulation::exchangeInWarp(&value, &theirs, sizeof value,
                                   cuda_emulation::laneOfThread() ^ lanes);
    return theirs;
}

// One thread runs at a time.
template <typename T>
T atomicAdd(T* to, T value) {
    const T before = *to;
    *to += value;
    return before;
}
template <typename T>
T atomicMax(T* to, T value) {
    const T before = *to;
    *to = value > before ? value : before;
    return before;
}

inline unsigned __float_as_uint(float value) {
    return std::bit_cast<unsigned>(value);
}
inline float __uint_as_float(unsigned bits) {
    return std::bit_cast<float>(bits);
}

/// What the register %globaltimer has.
inline std::uint64_t emulatedGlobalTimer() {
    return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch() /
                                      std::chrono::nanoseconds(1));
}
