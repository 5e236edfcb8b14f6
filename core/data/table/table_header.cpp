// SPDX-License-Identifier: Apache-2.0
#include "core/data/table/table_header.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/try.h"

namespace lockstep::data {

namespace {

constexpr std::size_t kNamed = 12;  ///< Columns that a message names.

std::string withoutSpaces(std::string_view name) {
    const std::size_t first = std::min(name.find_first_not_of(" \t"), name.size());
    const std::size_t last = name.find_last_not_of(" \t");
    return std::string(name.substr(first, last == std::string_view::npos ? 0 : last + 1 - first));
}

std::string listed(const std::vector<std::string>& names) {
    std::vector<std::string> first(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kNamed)));
    for (std::string& name : first)
        name = sanitizeLine(name, 60);
    if (names.size() > kNamed) first.push_back(fmt::format("{} more", names.size() - kNamed));
    return joinWords(first);
}

/// A header of one column that holds another separator.
const char* otherSeparator(const std::vector<std::string>& names) {
    if (names.size() != 1) return nullptr;
    if (names[0].find(';') != std::string::npos) return "semicolons";
    if (names[0].find('\t') != std::string::npos) return "tabs";
    return names[0].find('|') != std::string::npos ? "bars" : nullptr;
}

/// What a file is that begins and ends so, and how it is written as CSV with pandas. Marks that a
/// column's name could be are only believed with what goes with them.
struct OtherFormat {
    std::string_view mark;
    std::string_view end;
    const char* name;
    const char* reader;
};
constexpr OtherFormat kOthers[] = {
    {"PAR1", "PAR1", "a Parquet file", "read_parquet"},
    {std::string_view("ARROW1\0\0", 8), "ARROW1", "an Arrow file", "read_feather"},
    {"PK\3\4", "", "a spreadsheet or another zip archive", "read_excel"},
    {"\x89HDF", "", "an HDF5 file", "read_hdf"},
    {std::string_view("SQLite format 3\0", 16), "", "an SQLite database", "read_sql"}};

}  // namespace

Result<void> refuseOtherTables(std::string_view bytes) {
    const auto* other = std::ranges::find_if(kOthers, [bytes](const OtherFormat& each) {
        return bytes.size() >= each.mark.size() + each.end.size() && bytes.starts_with(each.mark) &&
               bytes.ends_with(each.end);
    });
    if (other == std::end(kOthers)) return {};
    return fail(ErrorCode::BadInput, fmt::format("it is {}, and CSV is read", other->name),
                fmt::format("Write it as CSV, for example with pandas: {}(…).to_csv(…, "
                            "index=False).",
                            other->reader));
}

Result<TableHeader> TableHeader::read(CsvReader& reader, const std::vector<std::string>& wanted) {
    CsvRow row;
    if (!TRY(reader.next(row)))
        return fail(ErrorCode::BadInput, "it is empty",
                    "Its first line should hold the columns' names.");
    if (!row.problem.empty()) return fail(ErrorCode::BadInput, "its header " + row.problem);
    std::vector<std::string> names;
    for (const std::string_view cell : row.cells)
        names.push_back(withoutSpaces(cell));
    TableHeader header(std::move(names));
    if (const char* separator = otherSeparator(header.names_))
        return fail(ErrorCode::BadInput,
                    fmt::format("its columns are separated by {}, not by commas", separator),
                    "Write it anew with commas.");
    for (const std::string& name : wanted)
        header.places_.push_back(TRY(header.find(name)));
    return header;
}

Result<std::size_t> TableHeader::find(const std::string& name) const {
    const auto place = std::ranges::find(names_, name);
    if (place == names_.end()) {
        const auto meant = nearestName(name, names_);
        return fail(
            ErrorCode::BadInput,
            fmt::format("it has no column {}{}", name,
                        meant ? fmt::format("; did you mean {}?", sanitizeLine(*meant, 60)) : ""),
            fmt::format("Its columns are {}.", listed(names_)));
    }
    if (std::find(place + 1, names_.end(), name) != names_.end())
        return fail(ErrorCode::BadInput, fmt::format("it has the column {} twice", name),
                    "Give one of them another name.");
    return static_cast<std::size_t>(place - names_.begin());
}

}  // namespace lockstep::data
