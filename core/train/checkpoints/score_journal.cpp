// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/score_journal.h"

#include <limits>

#include "core/base/record_clock.h"
#include "core/base/try.h"
#include "core/telemetry/journal.h"
#include "core/wire/codec.h"

namespace lockstep::train {

Result<ScoreJournal> ScoreJournal::open(const std::filesystem::path& runDir) {
    const auto path = runDir / "journal";
    std::error_code error;
    if (!std::filesystem::exists(path, error))
        return fail(ErrorCode::NotFound, runDir.string() + " has no journal");
    if (const auto ours = telemetry::JournalWriter::open(path); !ours) return fail(ours.error());
    return ScoreJournal(path, readScoredSteps(path, std::numeric_limits<std::int64_t>::max()));
}

Result<void> ScoreJournal::add(const wire::Evaluation& evaluation) {
    auto& steps = evaluation.split() == "test" ? scored_.tests : scored_.checkpoints;
    if (!steps.insert(static_cast<std::int64_t>(evaluation.step())).second) return {};
    wire::Record record;
    record.set_wall_time(recordSeconds());
    *record.mutable_evaluation() = evaluation;
    const auto writer = TRY(telemetry::JournalWriter::open(path_));
    TRY(writer->append(TRY(wire::encode(std::move(record)))));
    return writer->sync();
}

}  // namespace lockstep::train
