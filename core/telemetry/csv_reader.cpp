// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/csv_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "core/base/try.h"

namespace lockstep::telemetry {

namespace {

constexpr std::size_t kLongestLine = 64 << 10;
constexpr std::size_t kMostColumns = 512;
constexpr double kLastStep = 9007199254740992.0;  // 2^53

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
        text.remove_suffix(1);
    return text;
}

std::optional<double> numberOf(std::string_view cell) {
    if (cell.starts_with('+')) cell.remove_prefix(1);
    double value = 0;
    const auto [end, problem] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (problem != std::errc() || end != cell.data() + cell.size()) return std::nullopt;
    return value;
}

/// How well a column tells where training is: lower is better; none: it does not.
std::optional<int> rankAsStep(std::string_view name) {
    static constexpr std::string_view kNames[] = {
        "step", "global_step", "steps", "iteration", "iter", "update", "batch", "epoch", "epochs",
    };
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    const auto* found = std::ranges::find(kNames, lower);
    if (found == std::end(kNames)) return std::nullopt;
    return static_cast<int>(found - std::begin(kNames));
}

/// Quotation marks are understood around a cell; what is between them is taken as it is.
std::vector<std::string> cellsOf(std::string_view line, char separator) {
    std::vector<std::string> cells;
    for (;;) {
        std::size_t end = line.find(separator);
        if (trimmed(line).starts_with('"')) {
            const std::size_t open = line.find('"');
            const std::size_t close = line.find('"', open + 1);
            if (close != std::string_view::npos) end = line.find(separator, close);
        }
        std::string_view cell = trimmed(line.substr(0, end));
        if (cell.size() >= 2 && cell.starts_with('"') && cell.ends_with('"'))
            cell = cell.substr(1, cell.size() - 2);
        cells.emplace_back(cell);
        if (end == std::string_view::npos || cells.size() > kMostColumns) return cells;
        line.remove_prefix(end + 1);
    }
}

}  // namespace

Result<void> CsvReader::feed(std::string_view bytes, const OnFigure& onFigure) {
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        if (!isTooLong_) partial_ += bytes.substr(0, end);
        if (partial_.size() > kLongestLine) {
            if (!hasHeader())
                return fail(ErrorCode::BadInput, "a line is longer than that of a log");
            isTooLong_ = true;
            partial_.clear();
        }
        if (end == std::string_view::npos) return {};
        bytes.remove_prefix(end + 1);
        ++line_;
        TRY(takeLine(std::exchange(partial_, {}), onFigure));
    }
    return {};
}

void CsvReader::beginAnew() {
    header_ = {};
    partial_.clear();
    isTooLong_ = false;
    line_ = 0;
    row_ = 0;
}

Result<void> CsvReader::takeLine(std::string_view line, const OnFigure& onFigure) {
    if (std::exchange(isTooLong_, false)) {
        if (isNewRow()) skip(fmt::format("it is longer than {} bytes", kLongestLine));
    } else if (trimmed(line).empty()) {
        return {};
    } else if (hasHeader()) {
        takeRow(line, onFigure);
    } else {
        auto header = headerOf(line);
        if (!header)
            return fail(ErrorCode::BadInput, "it has no header with a column of steps or epochs");
        header_ = std::move(*header);
    }
    return {};
}

std::optional<CsvReader::Header> CsvReader::headerOf(std::string_view line) {
    const auto count = [&](char c) { return std::ranges::count(line, c); };
    Header header;
    header.separator = count('\t') > count(',') ? '\t' : count(';') > count(',') ? ';' : ',';
    header.names = cellsOf(line, header.separator);
    const std::vector<std::string>& names = header.names;
    const std::set<std::string> different(names.begin(), names.end());
    const bool isHeader =
        names.size() >= 2 && names.size() <= kMostColumns && different.size() == names.size() &&
        std::ranges::none_of(
            names, [](const std::string& name) { return name.empty() || numberOf(name); });
    std::optional<int> best;
    header.isFigure.assign(names.size(), true);
    for (std::size_t i = 0; isHeader && i < names.size(); ++i) {
        const auto rank = rankAsStep(names[i]);
        if (!rank) continue;
        header.isFigure[i] = false;
        if (best && *best <= *rank) continue;
        best = rank;
        header.stepColumn = i;
    }
    if (!best) return std::nullopt;
    return header;
}

/// False for one that was told in a former life of the file.
bool CsvReader::isNewRow() {
    if (row_++ < told_) return false;
    ++told_;
    return true;
}

void CsvReader::skip(std::string why) {
    if (skipped_.count++ > 0) return;
    skipped_.firstLine = line_;
    skipped_.firstWhy = std::move(why);
}

void CsvReader::takeRow(std::string_view line, const OnFigure& onFigure) {
    const std::vector<std::string> cells = cellsOf(line, header_.separator);
    const std::size_t column = header_.stepColumn;
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const double step = column < cells.size() ? numberOf(cells[column]).value_or(kNone) : kNone;
    if (std::isnan(step)) {
        // A logger that finds more to log, or another start of it, writes its header again.
        if (auto header = headerOf(line)) {
            header_ = std::move(*header);
            return;
        }
    }
    if (!isNewRow()) return;
    if (cells.size() > header_.names.size())
        return skip(
            fmt::format("it has {} cells, the header {}", cells.size(), header_.names.size()));
    if (!(step >= 0 && step <= kLastStep))
        return skip(fmt::format("its \"{}\" is no number of a step", header_.names[column]));
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (!header_.isFigure[i]) continue;
        if (const auto value = numberOf(cells[i]))
            onFigure({static_cast<std::uint64_t>(step), header_.names[i], *value});
    }
}

}  // namespace lockstep::telemetry
