// SPDX-License-Identifier: Apache-2.0
// The entry point of lockstep-cuda.so.
#include <cuda_runtime_api.h>

#include "core/tensor/cuda/product_timing.h"
#include "core/tensor/cuda_module.h"

namespace {

using namespace lockstep::tensor;

constexpr CudaModuleTable kTable{
    .abi = kCudaModuleAbi,
    .version = LOCKSTEP_VERSION,
    .runtimeVersion = CUDART_VERSION,
    .productSeconds = &cuda::productSeconds,
};

}  // namespace

extern "C" __attribute__((visibility("default"))) const CudaModuleTable* lockstepCudaModule(
    std::uint32_t abi) {
    return abi == kCudaModuleAbi ? &kTable : nullptr;
}
