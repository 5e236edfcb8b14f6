// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/segmented_control.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "ui/style/theme.h"

namespace lockstep::ui {

namespace {
constexpr int kHeight = 30;
constexpr int kPadding = 12;
constexpr int kInset = 3;
}  // namespace

SegmentedControl::SegmentedControl(const QStringList& choices, QWidget* parent)
    : QWidget(parent), choices_(choices) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    setAccessibleRole(*this, QAccessible::PageTabList);
    setAccessibleName(choices.join(QStringLiteral(" / ")));
    setAccessibleDescription(choices.value(0));
}

void SegmentedControl::setCurrent(int index) {
    if (index == current_ || index < 0 || index >= choices_.size()) return;
    current_ = index;
    setAccessibleDescription(choices_[index]);
    tellChosenPart(*this);
    update();
    Q_EMIT currentChanged(index);
}

QSize SegmentedControl::sizeHint() const {
    int widest = 0;
    for (const QString& choice : choices_) {
        widest = std::max(widest, fontMetrics().horizontalAdvance(choice));
    }
    return {2 * kInset + int(choices_.size()) * (widest + 2 * kPadding), kHeight};
}

QRectF SegmentedControl::segment(int index) const {
    const qreal each = (width() - 2.0 * kInset) / qreal(std::max<qsizetype>(1, choices_.size()));
    return {kInset + index * each, kInset, each, height() - 2.0 * kInset};
}

int SegmentedControl::segmentAt(const QPointF& position) const {
    for (int i = 0; i < choices_.size(); ++i) {
        if (segment(i).contains(position)) return i;
    }
    return -1;
}

void SegmentedControl::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(hasFocus() ? theme.accent : theme.hairline, 1));
    painter.setBrush(theme.window);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 7, 7);
    for (int i = 0; i < choices_.size(); ++i) {
        const QRectF part = segment(i);
        if (i == current_) {
            painter.setPen(QPen(theme.hairline, 1));
            painter.setBrush(theme.dark ? theme.raised : theme.surface);
            painter.drawRoundedRect(part.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
        }
        const bool strong = i == current_ || i == hovered_;
        painter.setPen(!isEnabled() ? theme.textDisabled
                       : strong     ? theme.text
                                    : theme.textSecondary);
        painter.drawText(part, Qt::AlignCenter, choices_[i]);
    }
}

void SegmentedControl::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) setCurrent(segmentAt(event->position()));
}

void SegmentedControl::mouseMoveEvent(QMouseEvent* event) {
    hovered_ = segmentAt(event->position());
    update();
}

void SegmentedControl::leaveEvent(QEvent* event) {
    hovered_ = -1;
    update();
    QWidget::leaveEvent(event);
}

void SegmentedControl::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Left)
        setCurrent(current_ - 1);
    else if (event->key() == Qt::Key_Right)
        setCurrent(current_ + 1);
    else
        QWidget::keyPressEvent(event);
}

}  // namespace lockstep::ui
