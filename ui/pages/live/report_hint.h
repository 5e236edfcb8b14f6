// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/widgets/card.h"

class QLabel;
class QPushButton;

namespace lockstep::ui {

/// What a user's own program needs to be seen here, while it has said nothing: lines to paste.
class ReportHint final : public Card {
    Q_OBJECT
public:
    explicit ReportHint(QWidget* parent = nullptr);

    /// Whether the program still runs, or has ended without a word.
    void setEnded(bool ended);
    [[nodiscard]] static QString code();

private:
    QLabel* headline_;
    QPushButton* copy_;
};

}  // namespace lockstep::ui
