// SPDX-License-Identifier: Apache-2.0
#include "core/data/table/table_cells.h"

#include <utility>

#include "core/base/try.h"

namespace lockstep::data {

Result<void> TableCells::append(std::span<const std::uint64_t> row) {
    for (std::size_t column = 0; column < columns_; ++column)
        block_[column * kBlockRows + rows_] = row[column];
    if (++rows_ < kBlockRows) return {};
    rows_ = 0;
    return scratch_.appendNumbers(std::span<const std::uint64_t>(block_));
}

Result<void> TableCells::finish() {
    if (rows_ > 0) TRY(scratch_.appendNumbers(std::span<const std::uint64_t>(block_)));
    block_ = {};
    all_ = TRY(scratch_.take());
    return {};
}

}  // namespace lockstep::data
