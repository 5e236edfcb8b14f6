// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/job/fold/session.h"

namespace lockstep::app {

/// A line of a process as a terminal shows it: "[0] epoch 1", "[evaluator] …". What the process
/// wrote never begins a line of ours.
[[nodiscard]] std::string outputLine(const job::LogEntry& entry);

}  // namespace lockstep::app
