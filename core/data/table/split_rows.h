// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"

namespace lockstep::data {

/// Which rows are trained on and which validate, both in their order.
struct RowSplit {
    std::vector<std::uint32_t> training;
    std::vector<std::uint32_t> validation;
};

/// Chooses `share` of `rows` rows for validation, as a function of these two alone: the same rows
/// at every start and on every host, drawn from the whole table whatever its order. BadInput where
/// nothing would be left for one of the two.
[[nodiscard]] Result<RowSplit> splitRows(std::uint32_t rows, double share);

}  // namespace lockstep::data
