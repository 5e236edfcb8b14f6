// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "core/job/fold/session.h"

namespace lockstep::app {

/// "training"
[[nodiscard]] const char* stateWord(job::RunState state);

/// "2 d 03 h", "1 h 02 m", "3 m 05 s", "12 s"
[[nodiscard]] std::string durationText(double seconds);

/// Where the run is, its scores, how fast it is and how long it still takes; empty before its first
/// step where nobody has said how many there are.
[[nodiscard]] std::string progressText(const job::RunView& view);

/// State, bar and figures in at most `width` columns, where step, loss, speed and what is left fit
/// at all: they fit in 79 for a billion steps. The rest gives way, the bar first.
[[nodiscard]] std::string barLine(const job::RunView& view, std::size_t width);

}  // namespace lockstep::app
