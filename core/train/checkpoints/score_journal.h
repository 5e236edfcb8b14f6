// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "core/telemetry/journal.h"
#include "core/train/checkpoints/scored_steps.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::train {

/// Adds scores to the journal of a run that has ended, for whoever looks at the run from then on.
class ScoreJournal {
public:
    /// Unavailable while another program writes the journal, that is while the run goes on;
    /// NotFound where there is none.
    [[nodiscard]] static Result<ScoreJournal> open(const std::filesystem::path& runDir);
    /// Brings it to the disk. A checkpoint whose score is there already is not told again.
    [[nodiscard]] Result<void> add(const wire::Evaluation& evaluation);

private:
    ScoreJournal(std::unique_ptr<telemetry::JournalWriter> writer, ScoredSteps scored)
        : writer_(std::move(writer)), scored_(std::move(scored)) {}

    std::unique_ptr<telemetry::JournalWriter> writer_;
    ScoredSteps scored_;
};

}  // namespace lockstep::train
