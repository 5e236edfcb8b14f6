// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "core/fit/tensor.h"

namespace lockstep::tests {

/// So that 1, 2, 3, 4 and 8 devices divide it.
inline constexpr std::uint64_t kTableSize = 24;

/// A square of numbers that count on from `step`: other ones at each step.
template <typename T>
fit::Tensor squareTable(std::int64_t step) {
    std::vector<T> values(kTableSize * kTableSize);
    std::iota(values.begin(), values.end(), static_cast<T>(step));
    return *fit::Tensor::make(values, {kTableSize, kTableSize});
}

}  // namespace lockstep::tests
