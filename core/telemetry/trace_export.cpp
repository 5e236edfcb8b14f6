// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/trace_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/telemetry/journal_walk.h"

namespace lockstep::telemetry {

namespace {

constexpr std::uint64_t kMuchForABrowser = 1'000'000'000;
constexpr std::uint64_t kBeatBytes = std::uint64_t{1} << 20;

using Write = std::function<Result<void>(std::string_view)>;

/// All records, before there is anything to write: whoever waits may give up meanwhile.
Result<void> lookThrough(const JournalReader& reader, const Write& write,
                         const std::function<void(const wire::Record&)>& use) {
    std::uint64_t toldAt = 0;
    const auto take = [&](const wire::Record& record, std::uint64_t offset) -> Result<void> {
        use(record);
        if (offset - toldAt < kBeatBytes) return {};
        toldAt = offset;
        return write({});
    };
    std::ignore = TRY(forEachRecord(reader, take));
    return {};
}

/// What has to be known before the first packet.
struct Survey {
    ClockBook clocks;
    RunExtent run;
    std::string name;
    bool hasSteps = false;
};

/// Later measurements correct earlier times, too.
Result<ClockBook> clocksOf(const JournalReader& reader, const Write& write) {
    ClockBook clocks;
    TRY(lookThrough(reader, write, [&](const wire::Record& record) {
        if (record.has_clock_offset()) clocks.add(record.clock_offset(), record.wall_time());
    }));
    return clocks;
}

/// A run extends from its first start to its last word or step.
Result<Survey> survey(const JournalReader& reader, const Write& write) {
    Survey found;
    found.clocks = TRY(clocksOf(reader, write));
    RunRoster roster;
    TRY(lookThrough(reader, write, [&](const wire::Record& record) {
        if (record.has_replica_info()) roster.take(record.replica_info());
        const bool isOfRun =
            record.has_run_info() || record.has_run_state() || record.has_run_end();
        if (isOfRun && record.wall_time() > 0)
            found.run.include(
                timeOn(found.clocks, roster, {wire::ROLE_WORKER, 0}, record.wall_time()));
        if (record.has_run_info() && !record.run_info().amends()) found.run.newestStep = 0;
        if (record.has_run_info()) found.name = record.run_info().name();
        if (record.has_steps())
            placeSteps(record.steps(), found.clocks, roster, [&](const PlacedStep& step) {
                found.hasSteps = true;
                found.run.include(step.begin);
                found.run.include(step.end);
                found.run.newestStep = std::max(found.run.newestStep, step.step);
            });
    }));
    if (found.run.begin > found.run.end) found.run.begin = found.run.end = 0;  // nothing has a time
    return found;
}

/// Times of what is bounded by numbers of steps.
Result<void> findTimesOfSteps(const JournalReader& reader, const ClockBook& clocks,
                              TraceLimits& limits, const TraceWindow& window, const Write& write) {
    const bool fromStep =
        (window.from && window.from->isStep) || (window.last && window.last->isStep);
    const bool toStep = window.to && window.to->isStep;
    if (!fromStep && !toStep) return {};
    RunRoster roster;
    RunExtent extent;
    TRY(lookThrough(reader, write, [&](const wire::Record& record) {
        if (record.has_replica_info()) roster.take(record.replica_info());
        if (record.has_steps())
            placeSteps(record.steps(), clocks, roster, [&](const PlacedStep& step) {
                if (!limits.hasStep(step.step, step.begin)) return;
                extent.include(step.begin);
                extent.include(step.end);
            });
    }));
    if (extent.begin > extent.end) return {};
    if (fromStep) limits.begin = extent.begin;
    if (toStep) limits.end = extent.end;
    return {};
}

}  // namespace

Result<TraceAccount> exportTrace(const std::filesystem::path& journal, const TraceWindow& window,
                                 const Write& write) {
    const auto reader = TRY(JournalReader::open(journal));
    const Survey found = TRY(survey(reader, write));
    TraceLimits limits = limitsOf(window, found.run);
    TRY(findTimesOfSteps(reader, found.clocks, limits, window, write));
    TracePackets packets(write);
    packets.begin(std::clamp<std::int64_t>(found.run.begin, 0, INT64_MAX / 2));
    TraceEvents events(packets, found.clocks, limits, found.name);
    TraceAccount account;
    account.check = TRY(forEachRecord(reader, [&](const wire::Record& record, std::uint64_t) {
        events.take(record);
        return packets.state();
    }));
    if (!window.isWhole() && events.counts().steps == 0 && found.hasSteps)
        return fail(
            ErrorCode::BadInput, "the run has no step in this window",
            fmt::format("It has steps up to {}, and lasted {:.1f} s: choose --from, --to or "
                        "--last within.",
                        found.run.newestStep,
                        1e-9 * static_cast<double>(found.run.end - found.run.begin)));
    events.finish(found.run.end);
    TRY(packets.flush());
    account.counts = events.counts();
    account.bytes = packets.bytes();
    account.moved = packets.moved();
    return account;
}

std::vector<std::string> describe(const TraceAccount& account) {
    const TraceCounts& counts = account.counts;
    std::vector<std::string> sentences;
    if (counts.stepsLeftOut + counts.othersLeftOut > 0)
        sentences.push_back(fmt::format("outside of the window, so left out: {} of replicas, {}",
                                        counted(counts.stepsLeftOut, "step"),
                                        counted(counts.othersLeftOut, "other event")));
    if (counts.stepsNotRecorded > 0)
        sentences.push_back(fmt::format("{} of replicas were never recorded: too much came at once",
                                        counted(counts.stepsNotRecorded, "step")));
    if (account.moved > 0)
        sentences.push_back(
            fmt::format("{} overlapped the one before on its track, and is drawn from its end on",
                        counted(account.moved, "slice")));
    if (account.bytes > kMuchForABrowser)
        sentences.push_back(
            "a browser may have no room for so much: --last 30s takes the end "
            "alone, --from and --to a part");
    return sentences;
}

}  // namespace lockstep::telemetry
