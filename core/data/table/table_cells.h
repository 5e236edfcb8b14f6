// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/data/packed/scratch_bytes.h"

namespace lockstep::data {

/// Cells of eight bytes, more than fit in memory: rows are written, columns are read.
class TableCells {
public:
    TableCells() : TableCells(0, ScratchBytes({})) {}
    TableCells(std::size_t columns, ScratchBytes scratch)
        : columns_(columns), scratch_(std::move(scratch)), block_(columns * kBlockRows) {}

    /// A cell of each column. What the scratch fails with.
    [[nodiscard]] Result<void> append(std::span<const std::uint64_t> row);
    /// Behind the last row, before the first at().
    [[nodiscard]] Result<void> finish();

    [[nodiscard]] std::uint64_t at(std::uint32_t row, std::size_t column) const {
        const std::size_t block = row / kBlockRows;
        const std::size_t place = (block * columns_ + column) * kBlockRows + row % kBlockRows;
        std::uint64_t cell = 0;
        std::memcpy(&cell, all_.data() + place * sizeof cell, sizeof cell);
        return cell;
    }

private:
    static constexpr std::size_t kBlockRows = 1024;  ///< Of a block its columns lie together.

    std::size_t columns_;
    ScratchBytes scratch_;
    std::vector<std::uint64_t> block_;
    std::size_t rows_ = 0;  ///< In the block.
    SharedBytes all_;
};

}  // namespace lockstep::data
