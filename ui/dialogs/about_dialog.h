// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace lockstep::ui {

/// What the program is, its version and licence.
void showAbout(QWidget* parent);

}  // namespace lockstep::ui
