// SPDX-License-Identifier: Apache-2.0
#include "core/job/report/run_record.h"

#include <utility>

#include "core/base/try.h"
#include "core/job/fold/run_fold.h"
#include "core/job/fold/run_summary.h"
#include "core/run/run_folder.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"

namespace lockstep::job {

namespace {

constexpr std::size_t kPieceBytes = 1 << 20;
constexpr std::size_t kMostWaiting = 100'000;  // entries in the fold

void addColumns(const StepColumns& columns, std::size_t start, RunRecord& record) {
    std::size_t without = 0;  // in order, as the steps are
    for (std::size_t i = 0; i < columns.loss.size(); ++i) {
        const std::int64_t step = columns.firstStep + static_cast<std::int64_t>(i);
        record.milliseconds.add(step, columns.stepMicroseconds[i] * 1e-3, start);
        if (without < columns.withoutSamples.size() && columns.withoutSamples[without] == step) {
            ++without;
            continue;
        }
        record.loss.add(step, columns.loss[i], start);
        record.accuracy.add(step, columns.accuracy[i], start);
    }
}

/// What has arrived belongs to the newest start that the fold knows of.
void takeArrivals(RunFold& fold, std::size_t start, RunRecord& record) {
    const Arrivals arrivals = fold.takeArrivals();
    for (const StepColumns& columns : arrivals.steps)
        addColumns(columns, start, record);
    for (const ScalarColumns& columns : arrivals.scalars) {
        RunRecord::Named& named = record.named[columns.name];
        named.unit = columns.unit;
        for (std::size_t i = 0; i < columns.values.size(); ++i)
            named.curve.add(columns.steps[i], columns.values[i], start);
    }
}

}  // namespace

Result<RunRecord> readRunRecord(const std::filesystem::path& runDir) {
    const run::RunPaths paths{runDir};
    const auto reader = TRY(telemetry::JournalReader::open(paths.journal()));
    RunRecord record;
    record.isRunning = run::isLocked(paths);  // asked first: what ends meanwhile is read whole
    RunFold fold(runDir);
    std::size_t start = 0;
    std::uint64_t offset = 0;
    while (true) {
        const std::string frames = TRY(reader.read(offset, kPieceBytes));
        if (frames.empty()) break;
        telemetry::FrameCursor cursor(frames, offset);
        while (const auto bytes = cursor.next()) {
            auto decoded = wire::decode<wire::Record>(*bytes);
            if (!decoded) {
                fold.addMissing(decoded.error().message);
                continue;
            }
            const bool mayStart = decoded->has_run_info() || decoded->has_run_state();
            if (mayStart || fold.arrivalCount() > kMostWaiting) takeArrivals(fold, start, record);
            if (decoded->has_run_end()) fillSummary(*decoded->mutable_run_end(), paths);
            fold.apply(*decoded);
            if (mayStart) start = fold.view()->starts.size();
        }
        if (cursor.damage().bytes > 0) fold.addMissing(telemetry::describe(cursor.damage()));
        offset += frames.size();
    }
    takeArrivals(fold, start, record);
    // Of a run that is being written a torn end is a record under way.
    const std::uint64_t size = reader.size().value_or(offset);
    if (size > offset && !record.isRunning)
        fold.addMissing(telemetry::describe(telemetry::JournalCheck{offset, size - offset, {}}));
    if (!record.isRunning) {
        const SummaryFile summary = readSummaryFile(paths);
        fold.endOfJournal(summary.text, summary.problem);
    }
    fold.tick(fold.newestWallTime());
    record.view = fold.view();
    record.about = readAbout(runDir).value_or(RunAbout());
    record.newestWallTime = fold.newestWallTime();
    return record;
}

}  // namespace lockstep::job
