// SPDX-License-Identifier: Apache-2.0
#include "core/data/table/table_columns.h"

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/data/source_file.h"
#include "core/data/table/cell.h"
#include "core/data/table/csv_reader.h"
#include "core/data/table/table_header.h"

namespace lockstep::data {

namespace {

constexpr int kRows = 1000;           ///< Looked at.
constexpr std::size_t kExample = 60;  ///< Characters.

void look(std::string_view cell, TableColumn& column) {
    if (saysMissing(cell)) return;
    if (column.example.empty()) column.example = sanitizeLine(std::string(cell), kExample);
    column.isNumber = column.isNumber && parseNumber(cell).has_value();
    column.isWhole = column.isWhole && parseWhole(cell).has_value();
}

}  // namespace

Result<std::vector<TableColumn>> lookAtColumns(const config::DataSpec& data,
                                               const std::filesystem::path& jobFolder) {
    if (data.files.empty())
        return fail(ErrorCode::BadInput, "data.files names no table",
                    "Name a CSV file whose first line has the columns' names.");
    const std::string& name = data.files.front();
    const auto bytes = TRY(openText("data.files", jobFolder / name));
    if (auto isTable = refuseOtherTables(textOf(bytes)); !isTable)
        return failWithin(name, isTable.error());
    CsvReader reader(textOf(bytes));
    CsvRow row;
    const auto more = reader.next(row);
    if (!more) return failWithin(name, more.error());
    if (!*more)
        return fail(ErrorCode::BadInput, name + " is empty",
                    "Its first line must have the columns' names.");
    std::vector<TableColumn> columns;
    for (const std::string_view cell : row.cells)
        columns.push_back({.name = std::string(cell)});
    for (int i = 0; i < kRows; ++i) {
        const auto next = reader.next(row);
        if (!next || !*next) break;  // what is wrong further down is said when all is read
        if (row.cells.size() != columns.size()) continue;
        for (std::size_t c = 0; c < columns.size(); ++c)
            look(row.cells[c], columns[c]);
    }
    return columns;
}

}  // namespace lockstep::data
