// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/telemetry/journal.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

/// What goes first where there is no room for a record: steps, heartbeats, figures of replicas and
/// lines of a log are samples, of which there are many.
[[nodiscard]] telemetry::RecordWorth worthOf(const wire::Record& record);

}  // namespace lockstep::coordination
