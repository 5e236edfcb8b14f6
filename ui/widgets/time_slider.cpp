// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/time_slider.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace lockstep::ui {
namespace {

constexpr double kPage = 0.05;
constexpr qreal kMargin = 10;
constexpr qreal kGroove = 4;
constexpr qreal kHandle = 7;      // radius
constexpr qreal kMarkSize = 4.5;  // half of it
constexpr int kReach = 6;         // of the pointer
constexpr qreal kMarksY = 9;
constexpr int kHeight = 4 * kGrid;

/// What must not lie beneath another mark comes last.
int rankOf(TimeSlider::Shape shape) {
    return int(shape);
}

}  // namespace

TimeSlider::TimeSlider(QWidget* parent) : QWidget(parent) {
    setAccessibleRole(*this, QAccessible::Slider);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMouseTracking(true);
}

void TimeSlider::setSeconds(double seconds) {
    const bool isAtEnd = place_ >= seconds_;
    seconds_ = std::max(seconds, 0.0);
    place_ = isAtEnd ? seconds_ : std::min(place_, seconds_);
    moveHandle();
}

void TimeSlider::setMarks(QVector<Mark> marks) {
    std::ranges::stable_sort(marks, {}, [](const Mark& mark) { return rankOf(mark.shape); });
    marks_ = std::move(marks);
    update();
}

void TimeSlider::setPlace(double seconds) {
    if (isDragged_) return;  // the hand is quicker
    place_ = std::clamp(seconds, 0.0, seconds_);
    moveHandle();
}

void TimeSlider::moveHandle() {
    update();
    if (!hasFocus()) return;  // else what goes by itself is read out all the time
    QAccessibleValueChangeEvent event(this, place_);
    QAccessible::updateAccessibility(&event);
}

qreal TimeSlider::xAt(double seconds) const {
    const double part = seconds_ > 0 ? std::clamp(seconds / seconds_, 0.0, 1.0) : 1.0;
    return kMargin + part * (width() - 2 * kMargin);
}

double TimeSlider::secondsAt(qreal x) const {
    const double part = (x - kMargin) / std::max<qreal>(1, width() - 2 * kMargin);
    return seconds_ * std::clamp(part, 0.0, 1.0);
}

int TimeSlider::markAt(const QPointF& point) const {
    int nearest = -1;
    int least = kReach;
    for (int i = 0; i < marks_.size(); ++i) {
        const int away = qRound(std::abs(xAt(marks_[i].seconds) - point.x()));
        if (away > least || point.y() > height() / 2.0 + kHandle) continue;
        nearest = i;  // of those on the same pixel the one on top
        least = away;
    }
    return nearest;
}

void TimeSlider::want(double seconds) {
    place_ = std::clamp(seconds, 0.0, seconds_);
    moveHandle();
    if (place_ >= seconds_)
        Q_EMIT endWanted();
    else
        Q_EMIT wanted(place_);
}

void TimeSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return event->ignore();
    setFocus(Qt::MouseFocusReason);
    const bool isOnMarks = event->position().y() < kMarksY + kMarkSize;
    if (const int mark = markAt(event->position()); mark >= 0 && isOnMarks) {
        Q_EMIT markChosen(mark);
        return;
    }
    isDragged_ = true;
    want(secondsAt(event->position().x()));
}

void TimeSlider::mouseMoveEvent(QMouseEvent* event) {
    isDragged_ = isDragged_ && event->buttons().testFlag(Qt::LeftButton);
    if (isDragged_) want(secondsAt(event->position().x()));
}

/// Who is disabled or hidden beneath the hand does not hear of the button's release.
void TimeSlider::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::EnabledChange) isDragged_ = false;
}

void TimeSlider::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    isDragged_ = false;
}

void TimeSlider::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) isDragged_ = false;
}

void TimeSlider::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Left:
        case Qt::Key_Down:
            Q_EMIT stepWanted(-1);
            return;
        case Qt::Key_Right:
        case Qt::Key_Up:
            Q_EMIT stepWanted(1);
            return;
        case Qt::Key_PageUp:
            return want(place_ - kPage * seconds_);
        case Qt::Key_PageDown:
            return want(place_ + kPage * seconds_);
        case Qt::Key_Home:
            return want(0);
        case Qt::Key_End:
            return want(seconds_);
        default:
            event->ignore();
    }
}

void TimeSlider::wheelEvent(QWheelEvent* event) {
    event->ignore();
}

bool TimeSlider::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int mark = markAt(help->pos());
        QToolTip::showText(help->globalPos(), mark >= 0 ? marks_[mark].words : toolTip(), this);
        return true;
    }
    return QWidget::event(event);
}

QSize TimeSlider::sizeHint() const {
    return {400, kHeight};
}

QSize TimeSlider::minimumSizeHint() const {
    return {120, kHeight};
}

void TimeSlider::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const qreal middle = height() - kHandle - 3;
    QRectF groove(kMargin, middle - kGroove / 2, width() - 2 * kMargin, kGroove);
    painter.setBrush(theme.hairline);
    painter.drawRoundedRect(groove, kGroove / 2, kGroove / 2);
    const bool isOn = isEnabled() && seconds_ > 0;
    const qreal x = xAt(place_);
    if (isOn) {
        groove.setRight(std::max(groove.left(), x));
        painter.setBrush(theme.accent);
        painter.drawRoundedRect(groove, kGroove / 2, kGroove / 2);
    }
    // Of many marks of a kind in one column of pixels one is seen.
    qint64 last = -1;
    for (const Mark& mark : marks_) {
        const qint64 column = qint64(rankOf(mark.shape)) * 100'000 + qRound(xAt(mark.seconds));
        if (std::exchange(last, column) != column) paintMark(painter, mark, theme);
    }
    painter.setPen(QPen(hasFocus() ? theme.text : theme.surface, 1.5));
    painter.setBrush(isOn ? theme.accent : theme.textDisabled);
    painter.drawEllipse(QPointF(x, middle), kHandle, kHandle);
}

void TimeSlider::paintMark(QPainter& painter, const Mark& mark, const Theme& theme) const {
    const QColor colour = mark.tone == Tone::Neutral ? theme.textSecondary : theme.tone(mark.tone);
    const QPointF at(xAt(mark.seconds), kMarksY);
    const qreal r = kMarkSize;
    painter.setPen(QPen(colour, 1.75, Qt::SolidLine, Qt::RoundCap));
    painter.setBrush(Qt::NoBrush);
    switch (mark.shape) {
        case Shape::Tick:
            painter.drawLine(at - QPointF(0, r), at + QPointF(0, r));
            return;
        case Shape::Ring:
            painter.drawEllipse(at, r - 1.5, r - 1.5);
            return;
        case Shape::Cross:
            painter.drawLine(at - QPointF(r - 1, r - 1), at + QPointF(r - 1, r - 1));
            painter.drawLine(at - QPointF(r - 1, 1 - r), at + QPointF(r - 1, 1 - r));
            return;
        default:
            break;
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    if (mark.shape == Shape::Dot)
        painter.drawEllipse(at, r - 1.5, r - 1.5);
    else if (mark.shape == Shape::Diamond)
        painter.drawPolygon(QPolygonF{{at.x(), at.y() - r},
                                      {at.x() + r, at.y()},
                                      {at.x(), at.y() + r},
                                      {at.x() - r, at.y()}});
    else
        painter.drawPolygon(QPolygonF{
            {at.x(), at.y() - r}, {at.x() + r, at.y() + r - 1}, {at.x() - r, at.y() + r - 1}});
}

}  // namespace lockstep::ui
