// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/base/result.h"
#include "core/coordination/state/outcome.h"
#include "core/telemetry/journal.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::run {

/// How a run ends whose last generation ended like this: status word, exit status, the one sentence
/// and what to do. Without the summary. Where a checkpoint is marked as suspect for it, what to do
/// names the mark, and promises the newest checkpoint no more.
[[nodiscard]] wire::RunEnd runEndOf(const coordination::Outcome& outcome);

/// What a summary that is not whole says in words: what it lacks.
inline constexpr const char* kLeftOutField = "left_out";
/// A record of the journal has room for so much of a run's end.
inline constexpr std::size_t kMostEndBytes = telemetry::kMaxJournalRecordBytes - 1024;

/// The same end in at most `mostBytes`: of a summary that is too long the longest parts become
/// null, and its field `left_out` names them.
[[nodiscard]] wire::RunEnd fitted(wire::RunEnd end, std::size_t mostBytes = kMostEndBytes);

/// Of a generation that the coordinator itself could not bring to an end.
[[nodiscard]] coordination::Outcome brokenOutcome(const Error& error);

/// Whether this generation has a failure to be told.
[[nodiscard]] bool hasFailed(const coordination::Outcome& outcome);

}  // namespace lockstep::run
