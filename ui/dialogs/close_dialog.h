// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

class QWidget;

namespace lockstep::ui {

/// The questions that the window asks before something is lost. Each names the thing and the cost.
enum class CloseAnswer { Cancel, Proceed };
enum class SaveAnswer { Cancel, Discard, Save };

/// Closing the window ends a tied job. `sentence` says which and how far it is.
[[nodiscard]] CloseAnswer askToEndTiedJob(QWidget* parent, const QString& jobName,
                                          const QString& sentence);

/// Leaving a job file with unsaved changes.
[[nodiscard]] SaveAnswer askToSave(QWidget* parent, const QString& fileName);

}  // namespace lockstep::ui
