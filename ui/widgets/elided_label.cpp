// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/elided_label.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include "ui/style/accessible_role.h"
#include "ui/style/theme.h"

namespace lockstep::ui {

ElidedLabel::ElidedLabel(const QString& text, QWidget* parent) : QFrame(parent) {
    setAccessibleRole(*this, QAccessible::StaticText);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    setText(text);
}

void ElidedLabel::setText(const QString& text) {
    if (text == text_) return;
    text_ = text;
    setAccessibleName(text);
    // Where a layout ignores the text, it need not begin anew for another one.
    if (sizePolicy().horizontalPolicy() != QSizePolicy::Ignored) updateGeometry();
    update();
}

void ElidedLabel::setElideMode(Qt::TextElideMode mode) {
    mode_ = mode;
    update();
}

void ElidedLabel::setSecondary(bool secondary) {
    secondary_ = secondary;
    update();
}

bool ElidedLabel::isElided() const {
    return fontMetrics().horizontalAdvance(text_) > contentsRect().width();
}

QSize ElidedLabel::sizeHint() const {
    return {fontMetrics().horizontalAdvance(text_) + 2, fontMetrics().height()};
}

QSize ElidedLabel::minimumSizeHint() const {
    return {fontMetrics().horizontalAdvance(QStringLiteral("…")), fontMetrics().height()};
}

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = Theme::of(this);
    painter.setPen(secondary_ ? theme.textSecondary : palette().color(QPalette::WindowText));
    painter.drawText(contentsRect(), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(text_, mode_, contentsRect().width()));
}

bool ElidedLabel::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && toolTip().isEmpty()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (!isElided()) {
            QToolTip::hideText();
            return QFrame::event(event);  // what it lies on may have one
        }
        QToolTip::showText(help->globalPos(), text_, this);
        return true;
    }
    return QFrame::event(event);
}

}  // namespace lockstep::ui
