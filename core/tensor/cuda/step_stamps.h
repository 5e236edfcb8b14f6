// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/tensor/cuda/kernels.h"

// The device's clock, for kernels.
namespace lockstep::tensor::cuda {

__device__ inline std::uint64_t deviceTime() {
#if defined(__CUDACC__)
    std::uint64_t nanoseconds;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    return nanoseconds;
#else
    return emulatedGlobalTimer();
#endif
}

__device__ inline void stampStep(const StepState& state, Stamp stamp) {
    state.figures[state.cursor->position].stamps[static_cast<unsigned>(stamp)] = deviceTime();
}

}  // namespace lockstep::tensor::cuda
