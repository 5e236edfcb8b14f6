// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/coordination/state/outcome.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::run {

/// How a run ends whose last generation ended like this: status word, exit status, the one sentence
/// and what to do. Without the summary.
[[nodiscard]] wire::RunEnd runEndOf(const coordination::Outcome& outcome);

/// Of a generation that the coordinator itself could not bring to an end.
[[nodiscard]] coordination::Outcome brokenOutcome(const Error& error);

/// Whether this generation has a failure to be told.
[[nodiscard]] bool hasFailed(const coordination::Outcome& outcome);

}  // namespace lockstep::run
