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
    std::uint64_t steps = 0;        ///< Of replicas, each counted as often as it was trained.
    /// Those of which none tells, up to a replica's last record, the step from which the run's
    /// newest start went on, or the end of its last epoch. What was trained again counts then.
    std::uint64_t missingSteps = 0;
    coordination::CopyTally copies;  ///< Of its checkpoints on another host.
    std::vector<std::string> gaps;   ///< The first of them: "replica 3: steps 120 to 240".
};

/// Reads the whole of a journal.
[[nodiscard]] Result<JournalAccount> accountOf(const std::filesystem::path& journal);

}  // namespace lockstep::run
