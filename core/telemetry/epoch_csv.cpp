// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/epoch_csv.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

#include "core/base/file.h"

namespace lockstep::telemetry {

namespace {

constexpr std::string_view kHeader =
    "epoch,step,train_loss,train_accuracy,validation_loss,validation_accuracy,seconds\n";
constexpr std::uint64_t kLargestFile = std::uint64_t{256} << 20;

/// The second column of a whole line; nullopt for every other text.
std::optional<std::uint64_t> stepOf(std::string_view line) {
    const std::size_t first = line.find(',');
    if (first == std::string_view::npos) return std::nullopt;
    const std::string_view rest = line.substr(first + 1);
    std::uint64_t step = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), step);
    if (error != std::errc() || end == rest.data() + rest.size() || *end != ',')
        return std::nullopt;
    return step;
}

/// The lines of `text` up to and with `lastStep`, below a header.
std::string keptLines(std::string_view text, std::uint64_t lastStep) {
    std::string kept(kHeader);
    while (true) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return kept;  // what is left was cut short
        const auto step = stepOf(text.substr(0, end));
        if (step && *step <= lastStep) kept += text.substr(0, end + 1);
        text.remove_prefix(end + 1);
    }
}

std::string lineOf(const wire::EpochResult& epoch) {
    // Nine digits are more than a figure has, and few enough to read.
    std::string line = fmt::format("{},{},{:.9g},{:.9g},", epoch.epoch(), epoch.step(),
                                   epoch.train_loss(), epoch.train_accuracy());
    line += epoch.has_validation()
                ? fmt::format("{:.9g},{:.9g}", epoch.validation_loss(), epoch.validation_accuracy())
                : ",";
    return line + fmt::format(",{:.3f}\n", epoch.seconds());
}

}  // namespace

Result<void> EpochCsv::apply(const wire::Record& record) {
    if (record.has_run_info() && !record.run_info().amends())
        return startAt(record.run_info().first_step());
    return record.has_epoch() ? append(record.epoch()) : Result<void>();
}

Result<void> EpochCsv::startAt(std::uint64_t firstStep) const {
    std::string before;
    auto text = readFile(path_, kLargestFile);
    if (text) before = std::move(*text);
    if (!text && text.error().code != ErrorCode::NotFound) return fail(text.error());
    const std::string kept = keptLines(before, firstStep);
    return kept == before ? Result<void>() : replaceFileDurably(path_, kept);
}

Result<void> EpochCsv::append(const wire::EpochResult& epoch) const {
    const UniqueFd file(
        ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0644));
    if (!file.valid())
        return fail(ErrorCode::Io, fmt::format("opening {}: {}", path_.string(), errnoText()));
    auto written = writeAll(file.get(), lineOf(epoch));
    return written ? written : failWithin("writing " + path_.string(), written.error());
}

}  // namespace lockstep::telemetry
