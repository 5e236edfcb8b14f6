// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QKeySequence>
#include <QString>

#include "core/job/fold/session.h"

namespace lockstep::ui {

// One verb, one shortcut: the menu, the button's tool tip and the keyboard agree.
inline constexpr QKeyCombination kLaunchKeys = Qt::CTRL | Qt::Key_L;
inline constexpr QKeyCombination kResumeKeys = Qt::CTRL | Qt::SHIFT | Qt::Key_L;
inline constexpr QKeyCombination kReleaseKeys = Qt::CTRL | Qt::Key_W;
inline constexpr QKeyCombination kStopKeys = Qt::CTRL | Qt::Key_Period;

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
    bool hostsInTheWay = false;  ///< The newest check of the hosts says that one would stop it.
    bool opening = false;        ///< A launch or attach is under way.
    bool attaching = false;      ///< The latter.
    bool stopRequested = false;
    bool past = false;                   ///< The run is shown as it was: nothing acts on it.
    const job::RunView* view = nullptr;  ///< The present run, if any.
};

/// Why nothing acts on a run while its past is shown.
[[nodiscard]] QString pastObstacle();

/// Launch; while a job runs Stop, and once that was asked for, Kill; Resume after a run that
/// ended early and left a checkpoint.
[[nodiscard]] ButtonState primaryButton(const RunSituation& situation);

}  // namespace lockstep::ui
