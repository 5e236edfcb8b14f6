// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/figure_label.h"

#include <QEvent>
#include <algorithm>

namespace lockstep::ui {

void FigureLabel::setFigure(const QString& text) {
    if (text == this->text()) return;
    setText(text);
    // Of a fixed size: no layout hears of what has room in it.
    if (sizeHint().width() > minimumWidth()) fit();
}

/// Other scripts than that of the font have taller and wider letters.
void FigureLabel::fit() {
    setFixedSize(std::max(sizeHint().width(), minimumWidth()), sizeHint().height());
}

void FigureLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange) fit();
}

}  // namespace lockstep::ui
