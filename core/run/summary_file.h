// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/coordination/state/copy_tally.h"
#include "core/coordination/state/outcome.h"
#include "core/telemetry/journal.h"
#include "core/wire/messages/launch.pb.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::run {

/// What the agent adds to the chief's part of a run's summary.
struct RunFacts {
    std::string status;  ///< completed | failed | stopped
    double wallSeconds = 0;
    /// Of the starts before this one, together; nullopt: one of them left no summary.
    std::optional<double> earlierSeconds = 0;
    int restarts = 0;
    std::vector<wire::Failure> failures;
    std::vector<wire::HostReplacement> replacedHosts{};  ///< By spares.
    std::vector<wire::HostLeftBehind> leftHosts{};       ///< By nobody.
    int processes = 0;                                   ///< That train, at the end.
    int worldSize = 0;
    std::uint64_t lostRecords = 0;  ///< Of the journal.
    /// Of this start, as read back from the journal once it ended; nothing: not all of it was.
    std::optional<std::uint64_t> writtenRecords{};
    std::uint64_t lostSteps = 0;                ///< Likewise: telemetry::LostSteps,
    std::string lostStepsText{};                ///< and in words.
    telemetry::JournalDamage damage{};          ///< Likewise, and what earlier starts have left.
    std::string missingRecords{};               ///< What of them is lost, in words; empty: nothing.
    std::vector<wire::Drill> drills{};          ///< Faults that were made on purpose.
    coordination::StragglerTally stragglers{};  ///< Who made the others wait.
    coordination::CopyTally copies{};           ///< Without a host: none are made.
    std::optional<coordination::ScoringTally> scoring{};  ///< Nothing: there is no evaluator.
};

/// The run's summary.json: the chief's summary (empty when it never came) completed.
[[nodiscard]] std::string completeSummary(const std::string& chiefsSummary, const RunFacts& facts);

/// The seconds of all starts up to the one that left this summary, which a version that knew only
/// its own may have written; nullopt: it does not say.
[[nodiscard]] std::optional<double> secondsUntilEndOf(const std::string& summary);
/// Whether this summary is of a start that completed without a step: nothing was left to train.
[[nodiscard]] bool trainedNothing(const std::string& summary);
/// Of a run whose newest start trained nothing: the former start's summary where that completed,
/// else this start's.
[[nodiscard]] std::string resumedSummary(const std::string& former, const std::string& fresh);

}  // namespace lockstep::run
