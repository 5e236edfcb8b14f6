// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal>
#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::ui {

/// The first step of each start of a run but the first one, in order of the steps. A start that a
/// later one went behind has none: its steps are those of the later one.
[[nodiscard]] std::vector<qint64> firstStepsOfStarts(const job::RunView& view);

}  // namespace lockstep::ui
