// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace lockstep::tensor {

/// What products are computed with; weights, gradients and sums are float32 always.
enum class Precision : std::uint8_t {
    Float32,
    Tf32,      ///< Float32 whose factors are rounded to 10 bits of mantissa, on tensor cores.
    BFloat16,  ///< Factors in bfloat16 from float32 master weights; products add up in float32.
};

}  // namespace lockstep::tensor
