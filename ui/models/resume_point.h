// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/job/fold/session.h"

namespace lockstep::ui {

/// The checkpoint that a resume would go on from: the newest that was written and is still there;
/// null: there is none.
[[nodiscard]] const job::CheckpointView* newestUsableCheckpoint(const job::RunView& view);
/// Whether the run ended before its time, with such a checkpoint.
[[nodiscard]] bool canResume(const job::RunView& view);

}  // namespace lockstep::ui
