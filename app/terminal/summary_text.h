// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/job/fold/session.h"

namespace lockstep::app {

/// The end of a run in a few lines: scores, times, who was slow, where it lies. Empty when it did
/// not complete.
[[nodiscard]] std::string summaryText(const job::RunView& view);

}  // namespace lockstep::app
