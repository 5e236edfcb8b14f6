// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/coordination/monitor/monitor_client.h"
#include "core/wire/context.h"

namespace lockstep::coordination {

/// Speaks for another monitor of the same user: its key `publicKey` is admitted to the run that
/// `own` (the options of a monitor that may watch it) names. Idempotent. Timeout; Unavailable when
/// the coordinator refuses, with its sentence; BadInput.
[[nodiscard]] Result<void> admitMonitor(const wire::Context& context, const MonitorOptions& own,
                                        const std::string& publicKey, Nanos timeout);

}  // namespace lockstep::coordination
