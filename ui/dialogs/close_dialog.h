// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace lockstep::ui {

/// The questions that the window asks before it is left. Each names the thing and what becomes of
/// it.
enum class CloseAnswer { Cancel, Proceed };
enum class SaveAnswer { Cancel, Discard, Save };

/// What ends a job that is tied to the window.
enum class TiedEnd { WindowCloses, RunCloses, OtherRunOpens };

/// `sentence` says how far the job is.
[[nodiscard]] CloseAnswer askToEndTiedJob(QWidget* parent, const QString& jobName,
                                          const QString& sentence, TiedEnd by);

/// Closing the window leaves a detached job running. `command` follows it on a terminal. Proceeds
/// without a word once the user does not want to read it again.
[[nodiscard]] CloseAnswer askToLeaveRunning(QWidget* parent, const QString& jobName,
                                            const QString& command);

/// Leaving a job file with unsaved changes.
[[nodiscard]] SaveAnswer askToSave(QWidget* parent, const QString& fileName);

}  // namespace lockstep::ui
