// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <string_view>

#include "core/base/result.h"

namespace lockstep::tensor::cuda {

/// Ok for cudaSuccess; else Unavailable with what was attempted and CUDA's own words, and what to
/// do where the code says so (no memory, an uncorrectable memory error, a crashed kernel).
[[nodiscard]] Result<void> check(cudaError_t code, std::string_view attempt);
[[nodiscard]] Result<void> check(cublasStatus_t code, std::string_view attempt);

}  // namespace lockstep::tensor::cuda
