// SPDX-License-Identifier: GPL-3.0-or-later
// What wheel, mouse and keys mean on a chart.
#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>
#include <cmath>
#include <utility>

#include "ui/charts/surface/chart_surface.h"

namespace lockstep::ui {

namespace {

constexpr qreal kLeastDrag = 6;
constexpr double kWheelNotch = 1.25;
constexpr double kKeyZoom = 1.5;
constexpr double kKeyPan = 0.1;

}  // namespace

QPointF ChartSurface::fractionAt(const QPointF& position) const {
    return {(position.x() - plot_.left()) / plot_.width(),
            (plot_.bottom() - position.y()) / plot_.height()};
}

QRectF ChartSurface::boxUnderDrag() const {
    QRectF box = QRectF(pressedAt_, draggedTo_).normalized();
    if (gesture_ == Gesture::Range) {  // whatever the height
        box.setTop(plot_.top());
        box.setBottom(plot_.bottom());
    }
    return box.intersected(plot_);
}

/// Marks reach over the foot of the plot.
bool ChartSurface::isWithinReach(const QPointF& position) const {
    return plot_.adjusted(0, 0, 0, kLeastDrag).contains(position);
}

void ChartSurface::holdSpace(bool held) {
    spaceHeld_ = held;
    showCursor();
}

void ChartSurface::setClickable(bool clickable) {
    if (clickable == clickable_) return;
    clickable_ = clickable;
    showCursor();
}

void ChartSurface::showCursor() {
    if (gesture_ == Gesture::Pan) return;
    const bool isHand = clickable_ || isOverWords_;
    setCursor(spaceHeld_ ? Qt::OpenHandCursor : isHand ? Qt::PointingHandCursor : Qt::CrossCursor);
}

void ChartSurface::wheelEvent(QWheelEvent* event) {
    const double notches = event->angleDelta().y() / 120.0;
    if (notches == 0) return;
    const double factor = std::pow(kWheelNotch, notches);
    const bool isY =
        event->position().x() < plot_.left() || event->modifiers().testFlag(Qt::ControlModifier);
    Q_EMIT zoomed(fractionAt(event->position()), isY ? 1 : factor, isY ? factor : 1);
    event->accept();
}

void ChartSurface::mousePressEvent(QMouseEvent* event) {
    setFocus(Qt::MouseFocusReason);
    const bool left = event->button() == Qt::LeftButton;
    const bool pans = event->button() == Qt::MiddleButton ||
                      (left && (spaceHeld_ || event->modifiers().testFlag(Qt::ShiftModifier)));
    if (!isWithinReach(event->position()) || (!left && !pans)) return;
    const bool boxes = event->modifiers().testFlag(Qt::ControlModifier);
    gesture_ = pans ? Gesture::Pan : boxes ? Gesture::Box : Gesture::Range;
    held_ = event->button();
    hasDragged_ = false;
    pressedAt_ = draggedTo_ = event->position();
    if (pans) setCursor(Qt::ClosedHandCursor);
    event->accept();
}

void ChartSurface::mouseMoveEvent(QMouseEvent* event) {
    const QPointF position = event->position();
    if (gesture_ == Gesture::Pan) {
        const QPointF moved = position - draggedTo_;
        draggedTo_ = position;
        Q_EMIT panned(-moved.x() / plot_.width(), 0);
        return;
    }
    draggedTo_ = position;
    if ((draggedTo_ - pressedAt_).manhattanLength() >= kLeastDrag) hasDragged_ = true;
    isOverWords_ = elsewhereArea().contains(position);
    showCursor();
    if (gesture_ != Gesture::None) viewport()->update();
    if (gesture_ != Gesture::None && boxUnderDrag().width() >= kLeastDrag) Q_EMIT drawing();
    if (isWithinReach(position))
        Q_EMIT pointedAt(fractionAt(position));
    else
        Q_EMIT pointedAt(std::nullopt);
}

void ChartSurface::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != held_) return;
    draggedTo_ = event->position();
    if ((draggedTo_ - pressedAt_).manhattanLength() >= kLeastDrag) hasDragged_ = true;
    const QRectF box = boxUnderDrag();
    const Gesture finished = std::exchange(gesture_, Gesture::None);
    holdSpace(spaceHeld_);
    viewport()->update();
    if (finished == Gesture::Range && !hasDragged_) {
        if (elsewhereArea().contains(pressedAt_))
            Q_EMIT elsewhereWanted();
        else
            Q_EMIT clicked(fractionAt(pressedAt_));
        return;
    }
    if (box.width() < kLeastDrag || box.height() < kLeastDrag) return;
    const QPointF lowerLeft = fractionAt(box.bottomLeft());
    const QPointF upperRight = fractionAt(box.topRight());
    if (finished == Gesture::Range) Q_EMIT ranged(lowerLeft.x(), upperRight.x());
    if (finished == Gesture::Box) Q_EMIT boxed(QRectF(lowerLeft, upperRight));
}

void ChartSurface::mouseDoubleClickEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) Q_EMIT fitWanted();
}

void ChartSurface::keyPressEvent(QKeyEvent* event) {
    if (event->modifiers().testFlag(Qt::AltModifier)) return event->ignore();  // of who places it
    const QPointF middle(0.5, 0.5);
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            Q_EMIT zoomed(middle, kKeyZoom, 1);
            break;
        case Qt::Key_Minus:
            Q_EMIT zoomed(middle, 1 / kKeyZoom, 1);
            break;
        case Qt::Key_Left:
            Q_EMIT panned(-kKeyPan, 0);
            break;
        case Qt::Key_Right:
            Q_EMIT panned(kKeyPan, 0);
            break;
        case Qt::Key_Up:
            Q_EMIT panned(0, kKeyPan);
            break;
        case Qt::Key_Down:
            Q_EMIT panned(0, -kKeyPan);
            break;
        case Qt::Key_0:
            Q_EMIT fitWanted();
            break;
        case Qt::Key_L:
            if (event->modifiers() != Qt::NoModifier) return event->ignore();
            Q_EMIT logToggleWanted();
            break;
        case Qt::Key_Space:
            holdSpace(true);
            break;
        default:
            event->ignore();
            return;
    }
    event->accept();
}

void ChartSurface::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() != Qt::Key_Space) return QChartView::keyReleaseEvent(event);
    if (!event->isAutoRepeat()) holdSpace(false);
    event->accept();
}

void ChartSurface::leaveEvent(QEvent* event) {
    Q_EMIT pointedAt(std::nullopt);
    QChartView::leaveEvent(event);
}

void ChartSurface::focusInEvent(QFocusEvent* event) {
    QChartView::focusInEvent(event);
    viewport()->update();
}

void ChartSurface::focusOutEvent(QFocusEvent* event) {
    QChartView::focusOutEvent(event);
    holdSpace(false);  // its release is told to somebody else
    viewport()->update();
}

}  // namespace lockstep::ui
