// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/csv_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "core/base/try.h"
#include "core/telemetry/journal_walk.h"
#include "core/telemetry/nine_digits.h"
#include "core/telemetry/scalars.h"

namespace lockstep::telemetry {

namespace {

constexpr std::size_t kWriteBytes = 256 << 10;

/// A name as a field of CSV (RFC 4180); control characters never get this far.
std::string quoted(std::string_view name) {
    if (name.find_first_of(",\"") == std::string_view::npos) return std::string(name);
    std::string field = "\"";
    for (const char letter : name)
        field.append(letter == '"' ? 2 : 1, letter);
    return field + '"';
}

/// Writes scalars as lines. Those of one step differ in their last two columns alone.
class LineWriter {
public:
    void append(const Scalar& scalar, std::string& lines) {
        if (prefix_.empty() || !isOfSameStep(scalar)) writePrefix(scalar);
        lines += prefix_;
        if (scalar.named) {
            fmt::format_to(std::back_inserter(lines), "{},{:.12g}", quoted(scalar.tag),
                           scalar.value);
        } else {
            lines += scalar.tag;
            lines += ',';
            appendNineDigits(scalar.value, lines);
        }
        lines += '\n';
    }

private:
    [[nodiscard]] bool isOfSameStep(const Scalar& scalar) const {
        return scalar.step == last_.step && scalar.replica == last_.replica &&
               scalar.processId == last_.processId && scalar.wallTime == last_.wallTime;
    }
    void writePrefix(const Scalar& scalar) {
        last_ = scalar;
        prefix_.clear();
        const auto to = std::back_inserter(prefix_);
        fmt::format_to(to, "{:.6f},{},", scalar.wallTime, scalar.step);
        if (scalar.processId >= 0) fmt::format_to(to, "{}", scalar.processId);
        prefix_ += ',';
        if (scalar.replica >= 0) fmt::format_to(to, "{}", scalar.replica);
        prefix_ += ',';
    }

    Scalar last_;
    std::string prefix_;
};

/// Where a start of the run begins in the journal, and the steps that were done before it. What a
/// former start had trained beyond them was trained again: only the last time counts.
struct Start {
    std::uint64_t offset = 0;
    std::int64_t firstStep = 0;
};

bool isTrainedAgain(const Scalar& scalar, std::uint64_t offset, std::span<const Start> starts) {
    return std::ranges::any_of(starts, [&](const Start& start) {
        return start.offset > offset && static_cast<std::int64_t>(scalar.step) > start.firstStep;
    });
}

Result<std::vector<Start>> startsOf(const JournalReader& reader) {
    std::vector<Start> starts;
    auto check = forEachRecord(reader, [&](const wire::Record& record, std::uint64_t offset) {
        if (record.has_run_info() && !record.run_info().amends())
            starts.push_back({offset, static_cast<std::int64_t>(record.run_info().first_step())});
        return Result<void>();
    });
    if (!check) return fail(std::move(check.error()));
    return starts;
}

}  // namespace

Result<JournalCheck> exportCsv(const std::filesystem::path& journal,
                               const std::function<Result<void>(std::string_view)>& write) {
    const auto reader = TRY(JournalReader::open(journal));
    const auto starts = TRY(startsOf(reader));
    if (auto header = write("wall_time,step,process_id,replica,tag,value\n"); !header)
        return fail(std::move(header.error()));
    ScalarExpander expander;
    LineWriter writer;
    std::vector<Scalar> scalars;
    std::string lines;
    const auto flush = [&] {
        auto written = write(lines);
        lines.clear();
        return written;
    };
    auto check = forEachRecord(reader, [&](const wire::Record& record, std::uint64_t offset) {
        scalars.clear();
        expander.expand(record, scalars);
        for (const Scalar& scalar : scalars)
            if (!isTrainedAgain(scalar, offset, starts)) writer.append(scalar, lines);
        return lines.size() < kWriteBytes ? Result<void>() : flush();
    });
    if (!check || lines.empty()) return check;
    auto written = flush();
    return written ? check : Result<JournalCheck>(fail(std::move(written.error())));
}

}  // namespace lockstep::telemetry
