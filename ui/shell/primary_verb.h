// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "core/job/session.h"

namespace lockstep::ui {

/// What the one primary button of the window does.
enum class Verb { Launch, Wait, Stop, Kill, Resume };

struct ButtonState {
    Verb verb = Verb::Launch;
    bool enabled = false;
    QString text;
    QString toolTip;

    [[nodiscard]] bool operator==(const ButtonState&) const = default;
};

/// What the button depends on.
struct RunSituation {
    bool hasJob = false;  ///< A job file is open.
    bool jobHasErrors = false;
    bool opening = false;  ///< A launch or attach is under way.
    bool stopRequested = false;
    const job::RunView* view = nullptr;  ///< The present run, if any.
};

/// Launch; while a job runs Stop, and once that was asked for, Kill; Resume after a run that
/// ended early and left a checkpoint.
[[nodiscard]] ButtonState primaryButton(const RunSituation& situation);

/// True when `view` ended early and its run folder holds a checkpoint.
[[nodiscard]] bool canResume(const job::RunView& view);

}  // namespace lockstep::ui
