// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/epoch_csv.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <tuple>

#include "core/base/file.h"
#include "core/base/try.h"

namespace lockstep::telemetry {

namespace {

constexpr std::string_view kHeader =
    "epoch,step,train_loss,train_accuracy,validation_loss,validation_accuracy,seconds";
constexpr std::uint64_t kLargestFile = std::uint64_t{256} << 20;

/// Takes a cell off a line's beginning; nullopt where it is no whole number with a comma behind it.
std::optional<std::uint64_t> takeNumber(std::string_view& line) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
    if (error != std::errc() || end == line.data() + line.size() || *end != ',')
        return std::nullopt;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()) + 1);
    return number;
}

using StepOfEpoch = std::map<std::uint64_t, std::uint64_t>;

struct Kept {
    std::string text;
    StepOfEpoch steps;
};

std::string headerOf(const std::vector<std::string>& columns) {
    std::string header(kHeader);
    for (const std::string& column : columns)
        header += "," + column;
    return header + "\n";
}

/// Of the file's header; none where it has another one.
std::vector<std::string> columnsIn(std::string_view text) {
    std::vector<std::string> columns;
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos || !text.starts_with(kHeader)) return columns;
    std::string_view rest = text.substr(kHeader.size(), end - kHeader.size());
    while (rest.starts_with(',')) {
        rest.remove_prefix(1);
        const std::string_view column = rest.substr(0, rest.find(','));
        columns.emplace_back(column);
        rest.remove_prefix(column.size());
    }
    return columns;
}

void addColumn(std::vector<std::string>& columns, const std::string& column) {
    if (std::ranges::find(columns, column) == columns.end()) columns.push_back(column);
}

/// The lines of `text` up to and with `lastStep`, without those of epochs that are told anew, below
/// a header of so many columns: lines that lack the last ones have nothing there.
Kept keptLines(std::string_view text, std::uint64_t lastStep, const StepOfEpoch& anew,
               const std::vector<std::string>& columns) {
    Kept kept{headerOf(columns), {}};
    const auto commas = std::ranges::count(kHeader, ',') + std::ssize(columns);
    while (true) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return kept;  // what is left was cut short
        const std::string_view line = text.substr(0, end);
        std::string_view rest = line;
        const auto epoch = takeNumber(rest);
        const auto step = epoch ? takeNumber(rest) : std::nullopt;
        const auto again = epoch ? anew.find(*epoch) : anew.end();
        const bool stays =
            step && *step <= lastStep && (again == anew.end() || again->second == *step);
        if (stays && kept.steps.emplace(*epoch, *step).second) {
            kept.text += line;
            kept.text.append(
                static_cast<std::size_t>(std::max(commas - std::ranges::count(line, ','), {})),
                ',');
            kept.text += '\n';
        }
        text.remove_prefix(end + 1);
    }
}

/// Nine digits are more than a figure has, and few enough to read; nothing for no number.
std::string numberText(double value) {
    return std::isnan(value) ? std::string() : fmt::format("{:.9g}", value);
}

std::string lineOf(const wire::EpochResult& epoch) {
    std::string line = fmt::format("{},{},{:.9g},{},", epoch.epoch(), epoch.step(),
                                   epoch.train_loss(), numberText(epoch.train_accuracy()));
    line += epoch.has_validation() ? fmt::format("{:.9g},{}", epoch.validation_loss(),
                                                 numberText(epoch.validation_accuracy()))
                                   : ",";
    return line + fmt::format(",{:.3f}", epoch.seconds());
}

std::vector<std::pair<std::string, double>> figuresOf(const wire::EpochResult& epoch) {
    std::vector<std::pair<std::string, double>> figures;
    for (const wire::NamedFigure& figure : epoch.train_figures())
        figures.emplace_back("train_" + figure.name(), figure.value());
    for (const wire::NamedFigure& figure : epoch.validation_figures())
        figures.emplace_back("validation_" + figure.name(), figure.value());
    return figures;
}

}  // namespace

Result<void> EpochCsv::apply(const wire::Record& record) {
    if (record.has_run_info() && !record.run_info().amends()) {
        const std::uint64_t firstStep = record.run_info().first_step();
        std::erase_if(pending_, [&](const Line& line) { return line.step > firstStep; });
        restartAt_ = std::min(restartAt_.value_or(firstStep), firstStep);
    } else if (record.has_epoch()) {
        const wire::EpochResult& epoch = record.epoch();
        std::erase_if(pending_, [&](const Line& line) { return line.epoch == epoch.epoch(); });
        pending_.push_back({epoch.epoch(), epoch.step(), lineOf(epoch), figuresOf(epoch)});
    }
    return flush();
}

Result<void> EpochCsv::flush() {
    if (pending_.empty() && !restartAt_) return {};
    std::error_code error;
    const bool isAsWeLeftIt = bytes_ > 0 && std::filesystem::file_size(path_, error) == bytes_;
    if (restartAt_ || !isAsWeLeftIt || hasNewColumns() || endsCutEpoch()) TRY(takeOver());
    std::string added;
    for (const Line& line : pending_)
        if (stepOfEpoch_.emplace(line.epoch, line.step).second) added += textOf(line);
    if (auto appended = append(added); !appended) {
        bytes_ = 0;  // what is there is found out when it is tried again
        return appended;
    }
    bytes_ += added.size();
    pending_.clear();
    return {};
}

bool EpochCsv::hasNewColumns() const {
    return std::ranges::any_of(pending_, [this](const Line& line) {
        return std::ranges::any_of(line.figures, [this](const auto& figure) {
            return std::ranges::find(columns_, figure.first) == columns_.end();
        });
    });
}

/// Whether the file has a line of an epoch that an earlier start of the run ended within.
bool EpochCsv::endsCutEpoch() const {
    return std::ranges::any_of(pending_, [this](const Line& line) {
        const auto told = stepOfEpoch_.find(line.epoch);
        return told != stepOfEpoch_.end() && told->second != line.step;
    });
}

std::string EpochCsv::textOf(const Line& line) const {
    std::string text = line.text;
    for (const std::string& column : columns_) {
        const auto figure =
            std::ranges::find(line.figures, column, [](const auto& one) { return one.first; });
        text += "," + (figure == line.figures.end() ? "" : numberText(figure->second));
    }
    return text + "\n";
}

/// Leaves in the file what is to stay of it, below a header.
Result<void> EpochCsv::takeOver() {
    auto before = readFile(path_, kLargestFile);
    if (!before && before.error().code != ErrorCode::NotFound) return fail(before.error());
    columns_ = columnsIn(before.value_or(""));
    StepOfEpoch anew;
    for (const Line& line : pending_) {
        anew[line.epoch] = line.step;
        for (const auto& figure : line.figures)
            addColumn(columns_, figure.first);
    }
    Kept kept = keptLines(before.value_or(""), restartAt_.value_or(UINT64_MAX), anew, columns_);
    if (!before || kept.text != *before) TRY(replaceFileDurably(path_, kept.text));
    stepOfEpoch_ = std::move(kept.steps);
    bytes_ = kept.text.size();
    restartAt_.reset();
    return {};
}

/// One write, so that a reader sees whole lines; none of it where it cannot be written whole.
Result<void> EpochCsv::append(const std::string& lines) const {
    if (lines.empty()) return {};
    const UniqueFd file(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
    if (!file.valid())
        return fail(ErrorCode::Io, fmt::format("opening {}: {}", path_.string(), errnoText()));
    auto written = writeAll(file.get(), lines);
    if (written) return written;
    std::ignore = ::ftruncate(file.get(), static_cast<off_t>(bytes_));
    return failWithin("writing " + path_.string(), written.error());
}

}  // namespace lockstep::telemetry
