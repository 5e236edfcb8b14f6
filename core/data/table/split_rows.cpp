// SPDX-License-Identifier: Apache-2.0
#include "core/data/table/split_rows.h"

#include <algorithm>

#include "core/base/rng.h"
#include "core/base/try.h"
#include "core/data/validation_split.h"

namespace lockstep::data {

namespace {

constexpr std::uint64_t kSplitSeed = 1;

}  // namespace

Result<RowSplit> splitRows(std::uint32_t rows, double share) {
    const std::uint32_t count = TRY(validationCount(rows, share));
    const auto order = permutation(rows, kSplitSeed, 0);
    const auto middle = order.end() - count;
    RowSplit split{{order.begin(), middle}, {middle, order.end()}};
    std::ranges::sort(split.training);
    std::ranges::sort(split.validation);
    return split;
}

}  // namespace lockstep::data
