// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::model {

/// Sizes of a tensor, or of what a layer gives for one sample: the batch is not among them, the
/// features or channels come last. {28, 28, 1}: height, width, channels; {64, 128}: positions,
/// features; {} is one number.
using Shape = std::vector<std::int64_t>;

/// Product of the sizes, 1 for {}. Sizes are positive and were checked not to overflow.
[[nodiscard]] std::int64_t elementCount(const Shape& shape);
/// "28 x 28 x 1"; "1 number" for {}.
[[nodiscard]] std::string toString(const Shape& shape);

}  // namespace lockstep::model
