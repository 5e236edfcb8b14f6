// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace lockstep::ui {
class MainWindow;
}

namespace lockstep::app {

/// Before the window is made: settings and state of a program that was never started, so that
/// pictures do not depend on, or change, the user's own.
void isolateSettings();

/// Waits until the run that the window follows is replayed, then saves FOLDER/PAGE<SUFFIX>.png of
/// every page, of the job form's launch section, of the run's steps and, where there are several,
/// of runs compared. Returns the program's exit status.
[[nodiscard]] int shootPages(ui::MainWindow& window, const QString& folder, const QString& suffix);

}  // namespace lockstep::app
