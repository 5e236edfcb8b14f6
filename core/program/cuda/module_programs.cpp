// SPDX-License-Identifier: Apache-2.0
// The entry point of lockstep-cuda.so for programs.
#include "core/program/cuda/cuda_executor.h"
#include "core/program/cuda/program_network.h"

namespace {

using namespace lockstep::program;

constexpr CudaProgramTable kTable{
    .abi = kCudaProgramsAbi,
    .makeExecutor = &CudaExecutor::make,
    .makeEngine = &makeProgramEngine,
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const CudaProgramTable* lockstepCudaPrograms(
    std::uint32_t abi) {
    return abi == kCudaProgramsAbi ? &kTable : nullptr;
}
