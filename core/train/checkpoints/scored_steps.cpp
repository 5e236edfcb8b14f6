// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/scored_steps.h"

#include "core/telemetry/journal.h"
#include "core/wire/codec.h"

namespace lockstep::train {

namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20;

void forgetAfter(std::int64_t step, ScoredSteps& scored) {
    scored.checkpoints.erase(scored.checkpoints.upper_bound(step), scored.checkpoints.end());
    scored.tests.erase(scored.tests.upper_bound(step), scored.tests.end());
}

void take(const wire::Record& record, ScoredSteps& scored) {
    if (record.has_run_info() && !record.run_info().amends())
        forgetAfter(static_cast<std::int64_t>(record.run_info().first_step()), scored);
    if (!record.has_evaluation() || !record.evaluation().error().empty()) return;
    const auto step = static_cast<std::int64_t>(record.evaluation().step());
    (record.evaluation().split() == "test" ? scored.tests : scored.checkpoints).insert(step);
}

}  // namespace

ScoredSteps readScoredSteps(const std::filesystem::path& journal, std::int64_t firstStep) {
    ScoredSteps scored;
    const auto reader = telemetry::JournalReader::open(journal);
    for (std::uint64_t offset = 0; reader;) {
        const auto frames = reader->read(offset, kReadBytes);
        if (!frames || frames->empty()) break;
        telemetry::FrameCursor cursor(*frames, offset);
        // A damaged record's checkpoint is scored again.
        while (const auto bytes = cursor.next())
            if (const auto record = wire::decode<wire::Record>(*bytes)) take(*record, scored);
        offset = cursor.offset();
    }
    forgetAfter(firstStep, scored);
    return scored;
}

}  // namespace lockstep::train
