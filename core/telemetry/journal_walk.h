// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "core/base/result.h"
#include "core/telemetry/journal.h"

namespace lockstep::telemetry {

/// Calls `use` with every record of the journal and the offset behind it. Damage is passed over and
/// returned; the first failure of `use` ends it.
[[nodiscard]] Result<JournalCheck> forEachRecord(
    const JournalReader& reader,
    const std::function<Result<void>(const wire::Record&, std::uint64_t)>& use);

}  // namespace lockstep::telemetry
