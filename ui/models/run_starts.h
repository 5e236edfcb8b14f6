// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "core/job/fold/session.h"
#include "ui/charts/store/column_store.h"

namespace lockstep::ui {

/// Each start of a run but the first one, in order of the steps that they train. A start that a
/// later one went behind is none: its steps are those of the later one.
[[nodiscard]] std::vector<RunStart> laterStartsOf(const job::RunView& view);

/// By start, the step that it goes on behind, up to the newest that is known to train: what was
/// said in a later one is told once that is known, too.
[[nodiscard]] std::vector<std::int64_t> stepsBeforeStarts(const job::RunView& view);

}  // namespace lockstep::ui
