// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "ui/style/theme.h"

namespace lockstep::ui {

/// The one stylesheet: what palettes cannot say. Fields, buttons, tables, tabs, scroll bars.
/// `QPushButton[primary="true"]` is the accent button, `[secondary="true"]` a quiet label.
[[nodiscard]] QString stylesheet(const Theme& theme);

}  // namespace lockstep::ui
