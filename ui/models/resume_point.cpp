// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/resume_point.h"

#include <algorithm>

namespace lockstep::ui {

const job::CheckpointView* newestUsableCheckpoint(const job::RunView& view) {
    const auto usable = std::find_if(view.checkpoints.rbegin(), view.checkpoints.rend(),
                                     [](const job::CheckpointView& checkpoint) {
                                         return checkpoint.error.empty() && !checkpoint.deleted;
                                     });
    return usable == view.checkpoints.rend() ? nullptr : &*usable;
}

bool canResume(const job::RunView& view) {
    const bool endedEarly =
        view.state == job::RunState::Failed || view.state == job::RunState::Stopped;
    return endedEarly && newestUsableCheckpoint(view) != nullptr;
}

}  // namespace lockstep::ui
