// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/tensor/step_engine.h"

namespace lockstep::tensor::cuda {

/// Seconds of all products of a step of `rows` samples, one after the other and each by the
/// fastest of cuBLASLt's algorithms: what arithmetic alone costs on GPU `index`.
[[nodiscard]] Result<double> productSeconds(int index, const EngineProgram& program,
                                            std::uint32_t rows);

}  // namespace lockstep::tensor::cuda
