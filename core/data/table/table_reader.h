// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/data/load_watch.h"
#include "core/data/table/cell.h"
#include "core/data/table/table_cells.h"

namespace lockstep::data {

/// A column of a table.
struct RawColumn {
    static constexpr std::uint32_t kNoWord = UINT32_MAX;

    config::FeatureSpec spec{};
    bool isTarget = false;
    std::vector<std::string> dictionary{};  ///< Distinct cells; whole numbers in one form.
};

/// The rows that can be used, in the order of files and lines.
struct RawTable {
    std::uint32_t rows = 0;
    std::vector<RawColumn> columns;  ///< Features in the job's order, then the targets.
    TableCells cells;                ///< Of the columns, then the line of each row.
    std::vector<std::pair<std::uint32_t, std::string>> files;  ///< First row and name of each.
    std::vector<std::string> notes;

    /// Of a column of numbers; NaN: missing.
    [[nodiscard]] double number(std::size_t column, std::uint32_t row) const {
        return std::bit_cast<double>(cells.at(row, column));
    }
    /// Of categories: into the column's dictionary; kNoWord: missing.
    [[nodiscard]] std::uint32_t word(std::size_t column, std::uint32_t row) const {
        return static_cast<std::uint32_t>(cells.at(row, column));
    }
    /// "houses.csv:12".
    [[nodiscard]] std::string placeOf(std::uint32_t row) const;
};

/// The columns that a job reads: those of data.features, then those of data.target. A target that
/// data.features calls categorical is there once, as a target.
[[nodiscard]] Result<std::vector<RawColumn>> tableColumns(const config::TableSpec& spec);

/// Reads the CSV files of data.files, one after the other. BadInput, naming file and line, for
/// missing columns, ragged rows, cells that are no numbers, and values that lack, unless
/// data.on_error and data.missing say otherwise; what they leave out is counted in the notes.
/// `scratch` gives room for what does not fit in memory; what that fails with. Cancelled once
/// `watch`, which is told the bytes that are read, waits no longer.
[[nodiscard]] Result<RawTable> readTable(const config::DataSpec& spec,
                                         const std::filesystem::path& jobFolder,
                                         const std::function<ScratchBytes()>& scratch,
                                         const LoadWatch& watch = {});

}  // namespace lockstep::data
