// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector_types.h>

#include <cstddef>
#include <functional>
#include <string>

// The threads of a kernel, one block after the other on the caller's thread; one kernel at a time.
namespace cuda_emulation {

/// What threadIdx, blockIdx, blockDim and gridDim are to the thread that runs.
struct Place {
    uint3 thread{};
    uint3 block{};
    dim3 blockSize;
    dim3 gridSize;
};
extern __attribute__((visibility("hidden"))) Place place;

/// Runs `thread` once for each thread of each block. The threads of a block run in the order of
/// their numbers, or in the reverse one at every second launch, so that a barrier that is missing
/// is seen. Threads that wait for each other (`waits`) are fibers.
void runGrid(const std::string& name, dim3 grid, dim3 block, bool waits,
             const std::function<void()>& thread);

/// __syncthreads().
void waitForBlock();
/// __syncwarp() of all lanes.
void waitForWarp();
/// Gives `mine` to the warp and takes what lane `partner` gave.
void exchangeInWarp(const void* mine, void* theirs, std::size_t bytes, unsigned partner);
[[nodiscard]] unsigned laneOfThread();

}  // namespace cuda_emulation
