// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/csv_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <vector>

#include "core/telemetry/journal.h"
#include "core/telemetry/scalars.h"
#include "core/wire/codec.h"

namespace lockstep::telemetry {

namespace {

constexpr std::size_t kReadBytes = 1 << 20;

void appendLine(const Scalar& scalar, std::string& lines) {
    const auto to = std::back_inserter(lines);
    fmt::format_to(to, "{:.6f},{},", scalar.wallTime, scalar.step);
    if (scalar.processId >= 0) fmt::format_to(to, "{}", scalar.processId);
    lines += ',';
    if (scalar.replica >= 0) fmt::format_to(to, "{}", scalar.replica);
    // Nine digits tell any two floats apart.
    fmt::format_to(to, ",{},{:.9g}\n", scalar.tag, scalar.value);
}

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
    for (std::uint64_t offset = 0;;) {
        const auto frames = reader.read(offset, kReadBytes);
        if (!frames) return fail(frames.error());
        if (frames->empty()) return starts;
        FrameCursor cursor(*frames, offset);
        for (;;) {
            const auto bytes = cursor.next();
            if (!bytes) return fail(bytes.error());
            if (!*bytes) break;
            const auto record = wire::decode<wire::Record>(**bytes);
            if (record && record->has_run_info() && !record->run_info().amends())
                starts.push_back(
                    {cursor.offset(), static_cast<std::int64_t>(record->run_info().first_step())});
        }
        offset = cursor.offset();
    }
}

/// The lines of all records in `frames`; advances `offset` behind them.
Result<std::string> linesOf(const std::string& frames, std::uint64_t& offset,
                            std::span<const Start> starts, ScalarExpander& expander) {
    FrameCursor cursor(frames, offset);
    std::vector<Scalar> scalars;
    std::string lines;
    for (;;) {
        const auto bytes = cursor.next();
        if (!bytes) return fail(bytes.error());
        if (!*bytes) break;
        const auto record = wire::decode<wire::Record>(**bytes);
        if (!record) return failWithin(fmt::format("at byte {}", cursor.offset()), record.error());
        scalars.clear();
        expander.expand(*record, scalars);
        for (const Scalar& scalar : scalars)
            if (!isTrainedAgain(scalar, cursor.offset(), starts)) appendLine(scalar, lines);
    }
    offset = cursor.offset();
    return lines;
}

}  // namespace

Result<void> exportCsv(const std::filesystem::path& journal,
                       const std::function<Result<void>(std::string_view)>& write) {
    const auto reader = JournalReader::open(journal);
    if (!reader) return fail(reader.error());
    const auto starts = startsOf(*reader);
    if (!starts) return failWithin(journal.string(), starts.error());
    if (auto header = write("wall_time,step,process_id,replica,tag,value\n"); !header)
        return header;
    ScalarExpander expander;
    for (std::uint64_t offset = 0;;) {
        const auto frames = reader->read(offset, kReadBytes);
        if (!frames) return fail(frames.error());
        if (frames->empty()) return {};
        const auto lines = linesOf(*frames, offset, *starts, expander);
        if (!lines) return failWithin(journal.string(), lines.error());
        if (auto written = write(*lines); !written) return written;
    }
}

}  // namespace lockstep::telemetry
