// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/data/table/csv_reader.h"

namespace lockstep::data {

/// The first record of a table: the names of its columns, and where those that are asked for lie.
class TableHeader {
public:
    /// Takes the reader's first record. BadInput where it is not there, lacks a column of `wanted`
    /// or has it twice, with the name that may have been meant.
    [[nodiscard]] static Result<TableHeader> read(CsvReader& reader,
                                                  const std::vector<std::string>& wanted);

    [[nodiscard]] std::size_t columns() const { return names_.size(); }
    /// In a row, of the column `wanted[i]`.
    [[nodiscard]] std::size_t placeOf(std::size_t i) const { return places_[i]; }

private:
    explicit TableHeader(std::vector<std::string> names) : names_(std::move(names)) {}
    [[nodiscard]] Result<std::size_t> find(const std::string& name) const;

    std::vector<std::string> names_;
    std::vector<std::size_t> places_;
};

/// BadInput for the bytes of a table that is kept otherwise (Parquet, a spreadsheet), told by how
/// they begin; the remedy says how it becomes CSV.
[[nodiscard]] Result<void> refuseOtherTables(std::string_view bytes);

}  // namespace lockstep::data
