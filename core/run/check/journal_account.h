// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/coordination/state/copy_tally.h"
#include "core/telemetry/journal.h"

namespace lockstep::run {

/// What a run's journal holds, and what of the run it lacks.
struct JournalAccount {
    std::uint64_t bytes = 0;
    std::uint64_t records = 0;
    telemetry::JournalCheck check;
    std::uint64_t mendedBytes = 0;  ///< In whose place a repair has put nothing.
    std::uint64_t steps = 0;        ///< Of replicas, each counted once a start of the run.
    /// Those between a start's first step and its last record, or the end of its last epoch, of
    /// which none tells.
    std::uint64_t missingSteps = 0;
    coordination::CopyTally copies;  ///< Of its checkpoints on another host.
    std::vector<std::string> gaps;   ///< The first of them: "replica 3: steps 120 to 240".
};

/// Reads the whole of a journal.
[[nodiscard]] Result<JournalAccount> accountOf(const std::filesystem::path& journal);

}  // namespace lockstep::run
