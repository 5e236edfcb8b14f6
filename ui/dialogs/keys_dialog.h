// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>

namespace lockstep::ui {

/// All keys and mouse gestures, a card a place. Not modal: what it says can be tried beside it.
class KeysDialog final : public QDialog {
    Q_OBJECT
public:
    explicit KeysDialog(QWidget* parent);
};

/// Shows it, or brings the one that is open to the front.
void showKeys(QWidget* window);

}  // namespace lockstep::ui
