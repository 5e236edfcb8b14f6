// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/cuda_error.h"

#include <fmt/format.h>

namespace lockstep::tensor::cuda {

namespace {

const char* remedyOf(cudaError_t code) {
    switch (code) {
        case cudaErrorMemoryAllocation:
            return "Use a smaller batch or smaller layers, or free the GPU: nvidia-smi lists who "
                   "uses it.";
        case cudaErrorECCUncorrectable:
            return "The GPU's memory is defective: look at nvidia-smi -q -d ECC and take the GPU "
                   "out of use.";
        case cudaErrorDevicesUnavailable:
            return "Another process has the GPU for itself (compute mode EXCLUSIVE_PROCESS).";
        case cudaErrorNoKernelImageForDevice:
            return "lockstep-cuda was compiled without this GPU's architecture; build it again.";
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchFailure:
        case cudaErrorAssert:
            return "This is a defect of the program or of the GPU: ./dev gpu checks both. Resume "
                   "from the last checkpoint.";
        default:
            return "";
    }
}

}  // namespace

Result<void> check(cudaError_t code, std::string_view attempt) {
    if (code == cudaSuccess) return {};
    return fail(ErrorCode::Unavailable,
                fmt::format("the GPU failed while {}: {} ({})", attempt, cudaGetErrorString(code),
                            cudaGetErrorName(code)),
                remedyOf(code));
}

Result<void> check(cublasStatus_t code, std::string_view attempt) {
    if (code == CUBLAS_STATUS_SUCCESS) return {};
    return fail(ErrorCode::Unavailable,
                fmt::format("cuBLASLt failed while {}: {}", attempt, cublasLtGetStatusName(code)));
}

}  // namespace lockstep::tensor::cuda
