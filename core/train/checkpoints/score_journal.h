// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <utility>

#include "core/base/result.h"
#include "core/train/checkpoints/scored_steps.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::train {

/// Adds scores to the journal of a run that has ended, for whoever looks at the run from then on.
/// The journal is held only while a score is written: meanwhile the run may be resumed.
class ScoreJournal {
public:
    /// Unavailable while another program writes the journal, that is while the run goes on;
    /// NotFound where there is none.
    [[nodiscard]] static Result<ScoreJournal> open(const std::filesystem::path& runDir);
    /// Brings it to the disk. Unavailable as above. A checkpoint whose score is there already is
    /// not told again.
    [[nodiscard]] Result<void> add(const wire::Evaluation& evaluation);

private:
    ScoreJournal(std::filesystem::path path, ScoredSteps scored)
        : path_(std::move(path)), scored_(std::move(scored)) {}

    std::filesystem::path path_;
    ScoredSteps scored_;
};

}  // namespace lockstep::train
