// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/checkpoint/safetensors.h"

namespace lockstep::exchange {

/// Whether the numbers are floating-point ones that float32 can stand for: F32, F16, BF16, F64.
[[nodiscard]] bool isFloating(checkpoint::DType dtype);

/// The numbers of such a tensor as float32: exactly, but for F64, which is rounded.
[[nodiscard]] std::vector<float> floatValues(const checkpoint::SafetensorView& tensor);

}  // namespace lockstep::exchange
