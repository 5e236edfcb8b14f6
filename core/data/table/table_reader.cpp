// SPDX-License-Identifier: Apache-2.0
#include "core/data/table/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/data/problem_list.h"
#include "core/data/source_file.h"
#include "core/data/table/csv_reader.h"
#include "core/data/table/table_header.h"

namespace lockstep::data {

namespace fs = std::filesystem;

namespace {

using config::OnMissing;

constexpr std::uint32_t kMostRows = std::numeric_limits<std::uint32_t>::max() - 1;
constexpr std::size_t kMostWords = std::size_t{1} << 24;  ///< A float counts no further.
constexpr std::uint64_t kRowsBetweenLooks = 4096;         ///< A few milliseconds.

struct WordHash : std::hash<std::string_view> {
    using is_transparent = void;
};
using WordIndex = std::unordered_map<std::string, std::uint32_t, WordHash, std::equal_to<>>;

/// Takes the rows of the files one by one.
class TableBuilder {
public:
    TableBuilder(const config::DataSpec& spec, std::vector<RawColumn> columns,
                 const std::function<ScratchBytes()>& scratch, const LoadWatch& watch)
        : spec_(spec), scratch_(scratch), watch_(watch) {
        table_.columns = std::move(columns);
        table_.cells = TableCells(table_.columns.size() + 1, scratch());
        cells_.resize(table_.columns.size() + 1);
        indexes_.resize(table_.columns.size());
        values_.resize(table_.columns.size());
    }

    /// `path` is opened, `shown` is what messages call it.
    Result<void> addFile(const fs::path& path, const std::string& shown) {
        const SharedBytes file = TRY(openText("data.files", path, scratch_()));
        table_.files.emplace_back(table_.rows, shown);
        auto added = addText(textOf(file), shown);
        if (!added && added.error().code != ErrorCode::Cancelled)
            return failWithin(fmt::format("data.files: {}", shown), added.error());
        return added;
    }

    Result<RawTable> take() {
        TRY(refuseProblems());
        TRY(table_.cells.finish());
        if (table_.rows == 0)
            return fail(ErrorCode::BadInput,
                        fmt::format("data.files: of {} none can be used", counted(seen_, "row")),
                        "Look at data.missing and data.on_error.");
        if (emptyLines_ > 0)
            table_.notes.push_back(
                fmt::format("data.files: {} passed over", countedWas(emptyLines_, "empty line")));
        if (replaced_ > 0)
            table_.notes.push_back(
                fmt::format("data.files: {} of {} {} a value: the mean of the training rows, or "
                            "unknown for a category, takes its place",
                            counted(replaced_, "cell"), counted(table_.rows, "row"),
                            replaced_ == 1 ? "lacks" : "lack"));
        return std::move(table_);
    }

private:
    Result<void> addText(std::string_view text, const std::string& shown) {
        TRY(refuseOtherTables(text));
        CsvReader reader(text);
        std::vector<std::string> wanted;
        for (const RawColumn& column : table_.columns)
            wanted.push_back(column.spec.name);
        const TableHeader header = TRY(TableHeader::read(reader, wanted));
        CsvRow row;
        const std::uint64_t before = seen_;
        while (TRY(reader.next(row))) {
            if (seen_++ % kRowsBetweenLooks == 0) {
                TRY(watch_.stillWanted());
                watch_.report({.done = readBefore_ + reader.bytesRead()});
            }
            if (table_.rows == kMostRows)
                return fail(ErrorCode::BadInput, "there are 2^32 rows or more");
            if (takeRow(row, header, shown)) TRY(append(row.line));
        }
        emptyLines_ += reader.emptyLines();
        readBefore_ += text.size();
        if (seen_ == before)
            return fail(ErrorCode::BadInput, "it has a header and no rows below it");
        return {};
    }

    /// Whether the row can be used; its values are in values_ then.
    bool takeRow(const CsvRow& row, const TableHeader& header, const std::string& shown) {
        const auto place = [&] { return fmt::format("{}:{}", shown, row.line); };
        if (!row.problem.empty()) return refuse(place() + " " + row.problem);
        if (row.cells.size() != header.columns())
            return refuse(fmt::format("{} has {}, but the header has {}", place(),
                                      counted(row.cells.size(), "cell"), header.columns()));
        std::optional<std::size_t> missing;
        for (std::size_t i = 0; i < values_.size(); ++i) {
            const RawColumn& column = table_.columns[i];
            auto value =
                valueOfCell(row.cells[header.placeOf(i)], column.spec.kind, column.spec.name);
            if (!value) return refuse(place() + " " + value.error().message);
            if (value->isMissing && !missing && !standsIn(column)) missing = i;
            values_[i] = *std::move(value);
        }
        if (!missing) return true;
        const std::string& name = table_.columns[*missing].spec.name;
        missing_.add(fmt::format("{} has no {}", place(), name));
        missingTarget_ = missingTarget_ || table_.columns[*missing].isTarget;
        return false;
    }

    /// Whether something takes a missing cell's place.
    [[nodiscard]] bool standsIn(const RawColumn& column) const {
        return spec_.table.missing == OnMissing::Mean && !column.isTarget;
    }

    bool refuse(std::string_view sentence) {
        broken_.add(sentence);
        return false;
    }

    Result<void> append(std::uint64_t line) {
        for (std::size_t i = 0; i < values_.size(); ++i) {
            const CellValue& value = values_[i];
            replaced_ += value.isMissing ? 1 : 0;
            if (isCategory(table_.columns[i].spec.kind))
                cells_[i] = value.isMissing ? RawColumn::kNoWord : TRY(indexOf(value.word, i));
            else
                cells_[i] = std::bit_cast<std::uint64_t>(
                    value.isMissing ? std::numeric_limits<double>::quiet_NaN() : value.number);
        }
        cells_.back() = line;
        ++table_.rows;
        return table_.cells.append(cells_);
    }

    Result<std::uint32_t> indexOf(const std::string& word, std::size_t column) {
        auto& dictionary = table_.columns[column].dictionary;
        const auto [entry, isNew] =
            indexes_[column].try_emplace(word, static_cast<std::uint32_t>(dictionary.size()));
        if (isNew) dictionary.push_back(word);
        if (dictionary.size() > kMostWords)
            return fail(ErrorCode::BadInput,
                        fmt::format("{} has more than {} different values",
                                    table_.columns[column].spec.name, kMostWords),
                        "Such a column is no category: leave it out of data.features.");
        return entry->second;
    }

    Result<void> refuseProblems() {
        if (!broken_.empty()) {
            if (spec_.onError == config::OnBrokenImage::Error)
                return fail(ErrorCode::BadInput,
                            fmt::format("data.files: of {}, {} cannot be read: {}",
                                        counted(seen_, "row"), broken_.size(), broken_.text()),
                            "Mend or remove them, or set data.on_error to \"skip\" to leave them "
                            "out.");
            table_.notes.push_back(fmt::format(
                "data.files: {} of {} cannot be read and {} left out: {}", broken_.size(),
                counted(seen_, "row"), broken_.size() == 1 ? "is" : "are", broken_.text()));
        }
        if (missing_.empty()) return {};
        if (spec_.table.missing != OnMissing::Skip)
            return fail(ErrorCode::BadInput,
                        fmt::format("data.files: of {}, {} {} a value: {}", counted(seen_, "row"),
                                    missing_.size(), missing_.size() == 1 ? "lacks" : "lack",
                                    missing_.text()),
                        missingTarget_
                            ? "Set data.missing to \"skip\" to leave them out."
                            : "Set data.missing to \"mean\" (the mean of the training rows takes "
                              "its place) or to \"skip\".");
        table_.notes.push_back(fmt::format("data.files: {} of {} {} a value and {} left out: {}",
                                           missing_.size(), counted(seen_, "row"),
                                           missing_.size() == 1 ? "lacks" : "lack",
                                           missing_.size() == 1 ? "is" : "are", missing_.text()));
        return {};
    }

    const config::DataSpec& spec_;
    const std::function<ScratchBytes()>& scratch_;
    const LoadWatch& watch_;
    std::uint64_t readBefore_ = 0;  ///< Bytes of the files before.
    RawTable table_;
    std::vector<WordIndex> indexes_;    ///< Of each column's dictionary.
    std::vector<CellValue> values_;     ///< Of the row that is being read.
    std::vector<std::uint64_t> cells_;  ///< The same as the table holds them, and the line.
    std::uint64_t seen_ = 0;            ///< Rows of all files.
    std::uint64_t emptyLines_ = 0;
    std::uint64_t replaced_ = 0;  ///< Missing cells in whose place something stands.
    ProblemList broken_;
    ProblemList missing_;
    bool missingTarget_ = false;
};

}  // namespace

std::string RawTable::placeOf(std::uint32_t row) const {
    auto file = std::ranges::upper_bound(files, row, {}, [](const auto& f) { return f.first; });
    return fmt::format("{}:{}", std::prev(file)->second, cells.at(row, columns.size()));
}

Result<std::vector<RawColumn>> tableColumns(const config::TableSpec& spec) {
    std::vector<RawColumn> columns;
    std::vector<RawColumn> targets;
    for (const std::string& name : spec.targets) {
        RawColumn target{.spec = {.name = name}, .isTarget = true};
        const auto same = std::ranges::find(spec.features, name, &config::FeatureSpec::name);
        if (same != spec.features.end()) target.spec = *same;
        targets.push_back(std::move(target));
    }
    const bool areClasses = targets.size() == 1 && isCategory(targets[0].spec.kind);
    for (const config::FeatureSpec& feature : spec.features) {
        if (std::ranges::find(spec.targets, feature.name) == spec.targets.end())
            columns.push_back({.spec = feature});
        else if (!areClasses)
            return fail(ErrorCode::BadInput,
                        fmt::format("data.features names {}, which is {}: the network would be "
                                    "told the answer",
                                    feature.name,
                                    targets.size() == 1 ? "the target" : "one of the targets"),
                        "Remove it there; only a single target may be called categorical, whose "
                        "values are classes then.");
    }
    if (columns.empty())
        return fail(ErrorCode::BadInput, "data.features names no column to learn from",
                    "Add a line for each column, for example income = \"float_normalized\".");
    std::ranges::move(targets, std::back_inserter(columns));
    return columns;
}

Result<RawTable> readTable(const config::DataSpec& spec, const fs::path& jobFolder,
                           const std::function<ScratchBytes()>& scratch, const LoadWatch& watch) {
    TableBuilder builder(spec, TRY(tableColumns(spec.table)), scratch, watch);
    for (const std::string& file : spec.files)
        TRY(builder.addFile(jobFolder / file, sanitizeLine(file, 200)));
    return builder.take();
}

}  // namespace lockstep::data
