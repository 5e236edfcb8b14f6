// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QWidget;

namespace lockstep::ui {

/// Lets the wheel change a combo or spin box only while it has the focus, which the wheel does not
/// give it: who scrolls a page past it changes nothing.
void guardWheel(QWidget* input);

}  // namespace lockstep::ui
