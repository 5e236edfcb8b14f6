// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "core/job/logs/log_book.h"

namespace lockstep::ui {

/// A number that tells processes of all roles apart.
[[nodiscard]] int logProcessKey(job::Role role, int processId);
/// "debug", "info", "warning", "error".
[[nodiscard]] QString logLevelName(int level);
/// What a line says; its level has a column of its own.
[[nodiscard]] QString logMessage(const QString& text, int level);
/// One line as it is copied: "14:05:12  process 0  warning  text".
[[nodiscard]] QString logRow(const job::LineFacts& facts, const QString& message);

}  // namespace lockstep::ui
