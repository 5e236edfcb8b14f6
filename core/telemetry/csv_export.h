// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "core/base/result.h"
#include "core/telemetry/journal.h"

namespace lockstep::telemetry {

/// Writes every number of a journal as CSV through `write` (called with whole lines, some KiB at a
/// time): the header `wall_time,step,process_id,replica,tag,value`, then one line a sample in the
/// journal's order; process_id and replica are empty for values of the whole run. Steps that were
/// trained again after a restart or resume are written as they were trained last. Also of a run
/// that is still going on: up to its last whole record. Damage is passed over and returned. Stops
/// at the first failure of `write`.
[[nodiscard]] Result<JournalCheck> exportCsv(
    const std::filesystem::path& journal,
    const std::function<Result<void>(std::string_view)>& write);

}  // namespace lockstep::telemetry
