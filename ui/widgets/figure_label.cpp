// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/figure_label.h"

#include <QEvent>
#include <algorithm>

namespace lockstep::ui {

void FigureLabel::setFigure(const QString& text) {
    if (text == this->text()) return;
    if (fontMetrics().horizontalAdvance(text) > minimumWidth()) {
        setText(text);
        fit();
    } else {
        setText(text);  // of a fixed size: no layout hears of it
    }
}

void FigureLabel::fit() {
    const int width = std::max(fontMetrics().horizontalAdvance(text()), minimumWidth());
    setFixedSize(width, fontMetrics().height());
}

void FigureLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange) fit();
}

}  // namespace lockstep::ui
