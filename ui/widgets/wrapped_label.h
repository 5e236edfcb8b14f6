// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace lockstep::ui {

/// A text that takes as many lines as it needs. It is never markup, since names of jobs and words
/// of hosts may hold anything.
[[nodiscard]] inline QLabel* wrappedLabel(QWidget* parent, const QString& text = {}) {
    auto* label = new QLabel(parent);
    label->setTextFormat(Qt::PlainText);
    label->setText(text);
    label->setWordWrap(true);
    return label;
}

}  // namespace lockstep::ui
