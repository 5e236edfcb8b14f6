// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/telemetry/journal.h"
#include "core/telemetry/trace_events.h"
#include "core/telemetry/trace_window.h"

namespace lockstep::telemetry {

/// What has been written, and what not.
struct TraceAccount {
    JournalCheck check;
    TraceCounts counts;
    std::uint64_t bytes = 0;
    std::uint64_t moved = 0;  ///< Slices that would have overlapped the one before.
};

/// Writes a run's timeline as a trace of Perfetto through `write` (called with some KiB at a time,
/// and with nothing while the journal is looked through before),
/// all processes on the coordinator's clock. Steps that were trained again are there each time.
/// Memory does not grow with the run. Also of a run that is still going on. Damage is passed over
/// and returned. BadInput where the window has nothing of the run; stops at the first failure of
/// `write`.
[[nodiscard]] Result<TraceAccount> exportTrace(
    const std::filesystem::path& journal, const TraceWindow& window,
    const std::function<Result<void>(std::string_view)>& write);

/// What is not in the trace though it happened, a sentence each.
[[nodiscard]] std::vector<std::string> describe(const TraceAccount& account);

}  // namespace lockstep::telemetry
