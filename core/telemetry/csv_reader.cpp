// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/csv_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

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

}  // namespace

Result<void> CsvReader::feed(std::string_view bytes, const OnFigure& onFigure) {
    while (!bytes.empty()) {
        const std::size_t end = bytes.find('\n');
        partial_ += bytes.substr(0, end);
        if (partial_.size() > kLongestLine)
            return fail(ErrorCode::BadInput, "a line is longer than that of a log");
        if (end == std::string_view::npos) return {};
        bytes.remove_prefix(end + 1);
        const std::string line = std::exchange(partial_, {});
        if (!trimmed(line).empty()) {
            if (hasHeader())
                takeRow(line, onFigure);
            else if (auto taken = takeHeader(line); !taken)
                return taken;
        }
    }
    return {};
}

void CsvReader::beginAnew() {
    names_.clear();
    isFigure_.clear();
    partial_.clear();
    row_ = 0;
}

Result<void> CsvReader::takeHeader(std::string_view line) {
    const auto count = [&](char c) { return std::ranges::count(line, c); };
    separator_ = count('\t') > count(',') ? '\t' : count(';') > count(',') ? ';' : ',';
    std::vector<std::string> names = cellsOf(line);
    const std::set<std::string> different(names.begin(), names.end());
    const bool isHeader =
        names.size() >= 2 && names.size() <= kMostColumns && different.size() == names.size() &&
        std::ranges::none_of(
            names, [](const std::string& name) { return name.empty() || numberOf(name); });
    std::optional<int> best;
    isFigure_.assign(names.size(), true);
    for (std::size_t i = 0; isHeader && i < names.size(); ++i) {
        const auto rank = rankAsStep(names[i]);
        if (!rank) continue;
        isFigure_[i] = false;
        if (best && *best <= *rank) continue;
        best = rank;
        stepColumn_ = i;
    }
    if (!best)
        return fail(ErrorCode::BadInput, "it has no header with a column of steps or epochs");
    names_ = std::move(names);
    return {};
}

void CsvReader::takeRow(std::string_view line, const OnFigure& onFigure) {
    if (row_++ < told_) return;
    ++told_;
    const std::vector<std::string> cells = cellsOf(line);
    if (cells.size() > names_.size() || stepColumn_ >= cells.size()) return;
    const auto step = numberOf(cells[stepColumn_]);
    if (!step || !(*step >= 0) || *step > kLastStep) return;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (!isFigure_[i]) continue;
        if (const auto value = numberOf(cells[i]))
            onFigure({static_cast<std::uint64_t>(*step), names_[i], *value});
    }
}

/// Quotation marks are understood around a cell; what is between them is taken as it is.
std::vector<std::string> CsvReader::cellsOf(std::string_view line) const {
    std::vector<std::string> cells;
    for (;;) {
        std::size_t end = line.find(separator_);
        if (trimmed(line).starts_with('"')) {
            const std::size_t open = line.find('"');
            const std::size_t close = line.find('"', open + 1);
            if (close != std::string_view::npos) end = line.find(separator_, close);
        }
        std::string_view cell = trimmed(line.substr(0, end));
        if (cell.size() >= 2 && cell.starts_with('"') && cell.ends_with('"'))
            cell = cell.substr(1, cell.size() - 2);
        cells.emplace_back(cell);
        if (end == std::string_view::npos || cells.size() > kMostColumns) return cells;
        line.remove_prefix(end + 1);
    }
}

}  // namespace lockstep::telemetry
