// SPDX-License-Identifier: GPL-3.0-or-later
// What mouse and keys do to the lanes of steps, and what they say under the mouse.
#include <QCursor>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/charts/paint/lane_marks.h"
#include "ui/charts/surface/timeline_chart.h"
#include "ui/charts/surface/timeline_geometry.h"
#include "ui/style/units.h"

namespace lockstep::ui {

namespace {

QString lasting(qint64 nanoseconds) {
    return units::milliseconds(double(nanoseconds) * 1e-6);
}

}  // namespace

/// `still`: the time that stays where it is.
void TimelineChart::zoom(double factor, qint64 still) {
    if (isEmpty()) return;
    const double least = double(kLeastSpan);
    const double wanted = std::clamp(double(span()) / factor, least, double(longestSpan()));
    const qint64 former = span();
    if (qint64(wanted) == former) return;
    if (still != right()) setFollow(false);
    chosenSpan_ = qint64(wanted);
    const double share = double(right() - still) / double(former);
    if (!follow_) right_ = within(still + std::llround(share * wanted));
    update();
}

void TimelineChart::pan(qint64 time) {
    if (isEmpty()) return;
    setFollow(false);
    right_ = within(right_ + time);
    update();
}

/// Where keys zoom: under the mouse, else at the newest step while that is followed.
qint64 TimelineChart::stillPoint() const {
    const QPointF mouse = mapFromGlobal(QCursor::pos());
    const QRectF area = track(0);
    if (underMouse() && mouse.x() >= area.left() && mouse.x() <= area.right())
        return timeAt(mouse.x());
    return follow_ ? right() : right() - span() / 2;
}

void TimelineChart::wheelEvent(QWheelEvent* event) {
    const QRectF area = track(0);
    const qreal x = std::clamp(event->position().x(), area.left(), area.right());
    zoom(std::pow(1.25, event->angleDelta().y() / 120.0), timeAt(x));
    event->accept();
}

void TimelineChart::mousePressEvent(QMouseEvent* event) {
    dragFrom_ = event->pos();
}

void TimelineChart::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() == Qt::NoButton) return;
    const int moved = event->pos().x() - dragFrom_.x();
    dragFrom_ = event->pos();
    if (moved != 0) pan(std::llround(-moved / track(0).width() * double(span())));
}

void TimelineChart::mouseDoubleClickEvent(QMouseEvent*) {
    setFollow(true);
}

void TimelineChart::keyPressEvent(QKeyEvent* event) {
    if ((event->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier)) != 0)
        return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
        case Qt::Key_W:
            return zoom(1.5, stillPoint());
        case Qt::Key_Minus:
        case Qt::Key_S:
            return zoom(1 / 1.5, stillPoint());
        case Qt::Key_Left:
        case Qt::Key_A:
            return pan(-span() / 10);
        case Qt::Key_Right:
        case Qt::Key_D:
            return pan(span() / 10);
        case Qt::Key_0:
            return setFollow(true);
        default:
            QWidget::keyPressEvent(event);
    }
}

QString TimelineChart::describe(const QPointF& position) const {
    const auto isOn = [&](int row) { return track(row).contains(position); };
    for (int lane = 0; lane < laneCount(); ++lane) {
        if (!isOn(lane)) continue;
        const QString mark = describeMark(lane, position);
        return mark.isEmpty() ? describeStep(lanes_[std::size_t(lane)], position) : mark;
    }
    for (int lane = 0; lane < loadLaneCount(); ++lane)
        if (loadTrack(lane).contains(position))
            return describeLoad(loadLanes_[std::size_t(lane)], position);
    return isOn(laneCount()) ? describeCheckpoint(position) : QString();
}

/// A mark that is not seen has no words.
QString TimelineChart::describeMark(int lane, const QPointF& position) const {
    const Lane& mine = lanes_[std::size_t(lane)];
    const Mark* lost = nullptr;
    NearestMark nearestLoss(position.x());
    for (const Mark& loss : mine.losses)
        if (isShown(loss.time) && nearestLoss.takes(middleOfLoss(track(lane), xAt(loss.time)).x()))
            lost = &loss;
    if (lost != nullptr) return tr("%1 was lost: %2").arg(mine.name.full, lost->words);
    std::optional<qint64> start;
    NearestMark nearestStart(position.x());
    for (std::size_t i = 1; i < starts_.size(); ++i)
        if (isShown(starts_[i]) && nearestStart.takes(xAt(starts_[i]))) start = starts_[i];
    if (!start) return {};
    return tr("the run was started again at %1")
        .arg(units::timeOfDay(double(*start) / kNanoseconds));
}

/// Of one step, or, where many lie under the mouse, of them all.
QString TimelineChart::describeStep(const Lane& lane, const QPointF& position) const {
    const StepLane& steps = lane.steps;
    const qint64 from = timeAt(std::floor(position.x()));
    const qint64 to = timeAt(std::floor(position.x()) + 1);
    const std::size_t first = steps.firstEndingAfter(from);
    const std::size_t behind = steps.firstBeginningAt(to);
    if (first >= behind) return {};
    const StepLane::Step step = steps.at(first);
    if (behind - first > 2) {
        const int most = StepLane::mostOf(steps.takenBefore(from), steps.takenBefore(to));
        return tr("%1, steps %2 to %3: mostly %4")
            .arg(lane.name.full, units::count(step.number),
                 units::count(steps.at(behind - 1).number), kindNames_.value(most));
    }
    const qint64 time = std::clamp(timeAt(position.x()), step.begin, step.end);
    qint64 begin = step.begin;
    int kind = 0;
    while (kind < StepLane::kRest && step.phaseEnds[std::size_t(kind)] <= time)
        begin = step.phaseEnds[std::size_t(kind++)];
    const qint64 end = kind < StepLane::kRest ? step.phaseEnds[std::size_t(kind)] : step.end;
    return tr("%1, step %2: %3 for %4 of %5")
        .arg(lane.name.full, units::count(step.number), kindNames_.value(kind),
             lasting(end - begin), lasting(step.end - step.begin));
}

QString TimelineChart::describeCheckpoint(const QPointF& position) const {
    const qint64 from = timeAt(position.x() - kNearMark);
    const auto near =
        std::lower_bound(checkpoints_.begin(), checkpoints_.end(), from,
                         [](const Write& write, qint64 time) { return write.end < time; });
    if (near == checkpoints_.end() || near->begin > timeAt(position.x() + kNearMark)) return {};
    return tr("checkpoint of step %1, written within %2")
        .arg(units::count(near->step), lasting(near->end - near->begin));
}

bool TimelineChart::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && !isEmpty()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString words = describe(help->pos());
        if (words.isEmpty())
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), words, this);
        return true;
    }
    const bool handled = QWidget::event(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange ||
        event->type() == QEvent::Polish)
        measureNames();
    return handled;
}

}  // namespace lockstep::ui
