// SPDX-License-Identifier: GPL-3.0-or-later
// What mouse and keys do to the lanes of heartbeats, and what they say under the mouse.
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "ui/charts/paint/lane_marks.h"
#include "ui/charts/surface/heartbeat_chart.h"
#include "ui/charts/surface/heartbeat_geometry.h"
#include "ui/style/units.h"

namespace lockstep::ui {

void HeartbeatChart::zoom(double factor) {
    span_ = std::clamp(spanSeconds() / factor, kLeastSpan, kLargestSpan);
    if (!follow_) right_ = withinBeats(right_);
    update();
}

void HeartbeatChart::pan(double seconds) {
    setFollow(false);
    right_ = withinBeats(right_ + seconds);
    update();
}

/// A right edge with which there is something to see: not before the first beats, nor after now.
double HeartbeatChart::withinBeats(double right) const {
    const double present = now();
    double earliest = present;
    for (const Lane& lane : lanes_) {
        if (!lane.beats.empty()) earliest = std::min(earliest, lane.beats.front().time);
    }
    return std::clamp(right, std::min(earliest + spanSeconds(), present), present);
}

void HeartbeatChart::wheelEvent(QWheelEvent* event) {
    zoom(std::pow(1.25, event->angleDelta().y() / 120.0));
    event->accept();
}

void HeartbeatChart::mousePressEvent(QMouseEvent* event) {
    dragFrom_ = event->pos();
}

void HeartbeatChart::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() == Qt::NoButton || lanes_.empty()) return;
    const int moved = event->pos().x() - dragFrom_.x();
    dragFrom_ = event->pos();
    if (moved != 0) pan(-moved / track(0).width() * spanSeconds());
}

void HeartbeatChart::mouseDoubleClickEvent(QMouseEvent*) {
    setFollow(true);
}

void HeartbeatChart::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoom(1.5);
            break;
        case Qt::Key_Minus:
            zoom(1 / 1.5);
            break;
        case Qt::Key_Left:
            pan(-spanSeconds() * 0.1);
            break;
        case Qt::Key_Right:
            pan(spanSeconds() * 0.1);
            break;
        case Qt::Key_0:
            setFollow(true);
            break;
        default:
            QWidget::keyPressEvent(event);
    }
}

/// A mark that is not seen has no words.
QString HeartbeatChart::describeMark(int lane, const QPointF& position) const {
    const Lane& mine = lanes_[std::size_t(lane)];
    const Loss* lost = nullptr;
    NearestMark nearestLoss(position.x());
    for (const Loss& loss : mine.losses)
        if (isShown(loss.wallTime) &&
            nearestLoss.takes(middleOfLoss(track(lane), xAt(loss.wallTime)).x()))
            lost = &loss;
    if (lost != nullptr) return tr("%1 was lost: %2").arg(mine.name.full, lost->cause);
    std::optional<double> start;
    NearestMark nearestStart(position.x());
    for (std::size_t i = 1; i < starts_.size(); ++i)
        if (isShown(starts_[i]) && nearestStart.takes(xAt(starts_[i]))) start = starts_[i];
    if (!start) return {};
    return tr("the run was started again at %1").arg(units::timeOfDay(*start));
}

QString HeartbeatChart::describe(const QPointF& position) const {
    for (int lane = 0; lane < int(lanes_.size()); ++lane) {
        if (!track(lane).contains(position)) continue;
        const double time = timeAt(position.x());
        if (const QString mark = describeMark(lane, position); !mark.isEmpty()) return mark;
        for (const Gap& gap : gaps(lane)) {
            if (time < gap.from || time > gap.to) continue;
            return tr("%1: silent for %2")
                .arg(lanes_[std::size_t(lane)].name.full, units::duration(gap.to - gap.from));
        }
        const std::deque<Beat>& beats = lanes_[std::size_t(lane)].beats;
        const auto after =
            std::lower_bound(beats.begin(), beats.end(), time,
                             [](const Beat& beat, double at) { return beat.time < at; });
        if (after == beats.end()) return {};
        return tr("%1 at %2: %3")
            .arg(lanes_[std::size_t(lane)].name.full, units::exactTimeOfDay(after->time),
                 phaseNames_.value(after->phase));
    }
    return {};
}

bool HeartbeatChart::event(QEvent* event) {
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
