// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/epoch_csv.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <tuple>

#include "core/base/file.h"
#include "core/base/try.h"

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

struct Kept {
    std::string text{kHeader};
    std::set<std::uint64_t> steps;
};

/// The lines of `text` up to and with `lastStep`, below a header.
Kept keptLines(std::string_view text, std::uint64_t lastStep) {
    Kept kept;
    while (true) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return kept;  // what is left was cut short
        const auto step = stepOf(text.substr(0, end));
        if (step && *step <= lastStep && kept.steps.insert(*step).second)
            kept.text += text.substr(0, end + 1);
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
    if (record.has_run_info() && !record.run_info().amends()) {
        const std::uint64_t firstStep = record.run_info().first_step();
        std::erase_if(pending_, [&](const Line& line) { return line.step > firstStep; });
        restartAt_ = std::min(restartAt_.value_or(firstStep), firstStep);
    } else if (record.has_epoch()) {
        pending_.push_back({record.epoch().step(), lineOf(record.epoch())});
    }
    return flush();
}

Result<void> EpochCsv::flush() {
    if (pending_.empty() && !restartAt_) return {};
    std::error_code error;
    const bool isAsWeLeftIt = bytes_ > 0 && std::filesystem::file_size(path_, error) == bytes_;
    if (restartAt_ || !isAsWeLeftIt) TRY(takeOver());
    std::string added;
    for (const Line& line : pending_)
        if (steps_.insert(line.step).second) added += line.text;
    if (auto appended = append(added); !appended) {
        bytes_ = 0;  // what is there is found out when it is tried again
        return appended;
    }
    bytes_ += added.size();
    pending_.clear();
    return {};
}

/// Leaves in the file what is to stay of it, below a header.
Result<void> EpochCsv::takeOver() {
    auto before = readFile(path_, kLargestFile);
    if (!before && before.error().code != ErrorCode::NotFound) return fail(before.error());
    Kept kept = keptLines(before.value_or(""), restartAt_.value_or(UINT64_MAX));
    if (!before || kept.text != *before) TRY(replaceFileDurably(path_, kept.text));
    steps_ = std::move(kept.steps);
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
