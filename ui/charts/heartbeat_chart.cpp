// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/heartbeat_chart.h"

#include <QDateTime>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/charts/ticks.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"
#include "ui/style/window_beat.h"

namespace lockstep::ui {

namespace {

constexpr int kLane = 26;
constexpr int kLeastLane = 12;
constexpr int kLegibleLane = 19;  // a few lanes are never lower, so that gaps keep their words
constexpr int kLegibleLanes = 76;
constexpr int kMostLanes = 132;  // pixels: many lanes are low ones
constexpr int kAxis = 22;
constexpr int kRight = 12;
constexpr int kTickWidth = 90;
constexpr double kGapIntervals = 3;
constexpr double kLiveSpan = 60;
constexpr double kLeastSpan = 2;
constexpr double kLargestSpan = 7200;
constexpr int kLeastNameWidth = 40;

}  // namespace

HeartbeatChart::HeartbeatChart(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Heartbeats"));
    clock_.setSingleShot(true);
    clock_.setTimerType(Qt::PreciseTimer);
    connect(&clock_, &QTimer::timeout, this, [this] {
        if (isMoving() && isVisible()) update();  // a hidden chart costs nothing
        clock_.start(WindowBeat::shared().untilNext());
    });
    clock_.start(WindowBeat::shared().untilNext());
}

/// The clock draws it anew: a finished run stands still, and so does what is looked at.
bool HeartbeatChart::isMoving() const {
    return follow_ && !now_;
}

void HeartbeatChart::setLanes(const QStringList& names) {
    lanes_.clear();
    for (const QString& name : names)
        lanes_.push_back({name, {}, false});
    measureNames();
    updateGeometry();
    update();
}

void HeartbeatChart::setPhaseNames(const QStringList& names) {
    phaseNames_ = names;
}

void HeartbeatChart::setIntervalSeconds(double seconds) {
    if (seconds > 0) interval_ = seconds;
    update();
}

void HeartbeatChart::addBeat(int lane, double wallTime, int phase) {
    if (lane < 0 || lane >= int(lanes_.size()) || !std::isfinite(wallTime)) return;
    std::deque<Beat>& beats = lanes_[std::size_t(lane)].beats;
    if (!beats.empty()) wallTime = std::max(wallTime, beats.back().time);
    if (beats.size() == kBeatsPerLane) beats.pop_front();
    beats.push_back({wallTime, phase});
    if (!isMoving()) update();
}

void HeartbeatChart::setEnded(int lane, bool ended) {
    if (lane < 0 || lane >= int(lanes_.size())) return;
    if (std::exchange(lanes_[std::size_t(lane)].ended, ended) != ended) update();
}

void HeartbeatChart::setNow(std::optional<double> wallTime) {
    now_ = wallTime;
    update();
}

void HeartbeatChart::setFollow(bool follow) {
    if (follow == follow_) return;
    right_ = right();
    follow_ = follow;
    update();
    Q_EMIT followChanged(follow);
}

std::vector<HeartbeatChart::Gap> HeartbeatChart::gaps(int lane) const {
    std::vector<Gap> found;
    const Lane& wanted = lanes_.at(std::size_t(lane));
    const double limit = kGapIntervals * interval_;
    for (std::size_t i = 1; i < wanted.beats.size(); ++i) {
        const double from = wanted.beats[i - 1].time;
        const double to = wanted.beats[i].time;
        if (to - from > limit) found.push_back({from, to, false});
    }
    if (!wanted.ended && !wanted.beats.empty() && now() - wanted.beats.back().time > limit) {
        found.push_back({wanted.beats.back().time, now(), true});
    }
    return found;
}

double HeartbeatChart::spanSeconds() const {
    if (span_) return *span_;
    if (!now_) return kLiveSpan;
    double earliest = *now_;
    for (const Lane& lane : lanes_) {
        if (!lane.beats.empty()) earliest = std::min(earliest, lane.beats.front().time);
    }
    // A little more, so that the first beat does not stick to the edge.
    return std::clamp((*now_ - earliest) * 1.03, kLeastSpan, kLargestSpan);
}

double HeartbeatChart::now() const {
    return now_.value_or(double(QDateTime::currentMSecsSinceEpoch()) / 1000);
}

double HeartbeatChart::right() const {
    return follow_ ? now() : right_;
}

// Measuring text costs more than painting a beat, and every beat asks for the width.
void HeartbeatChart::measureNames() {
    widestName_ = kLeastNameWidth;
    for (const Lane& lane : lanes_)
        widestName_ = std::max(widestName_, fontMetrics().horizontalAdvance(lane.name));
}

int HeartbeatChart::nameWidth() const {
    return std::min(widestName_, width() / 4) + 12;
}

QRectF HeartbeatChart::track(int lane) const {
    const double each = std::min<double>(
        kLane, (height() - kAxis) / double(std::max<std::size_t>(1, lanes_.size())));
    return {double(nameWidth()), lane * each, double(width() - nameWidth() - kRight), each};
}

double HeartbeatChart::timeAt(qreal x) const {
    const QRectF area = track(0);
    return right() - (area.right() - x) / area.width() * spanSeconds();
}

qreal HeartbeatChart::xAt(double time) const {
    const QRectF area = track(0);
    return area.right() - (right() - time) / spanSeconds() * area.width();
}

QSize HeartbeatChart::sizeHint() const {
    const int lanes = int(std::max<std::size_t>(2, lanes_.size()));
    return {480, kAxis + std::max(kLeastLane * lanes, std::min(kLane * lanes, kMostLanes))};
}

QSize HeartbeatChart::minimumSizeHint() const {
    const int lanes = int(std::max<std::size_t>(2, lanes_.size()));
    return {240,
            kAxis + std::max(kLeastLane * lanes, std::min(kLegibleLane * lanes, kLegibleLanes))};
}

void HeartbeatChart::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    if (lanes_.empty()) {
        painter.setPen(theme.textSecondary);
        painter.drawText(rect(), Qt::AlignCenter, tr("No process yet"));
        return;
    }
    paintTimeAxis(painter);
    for (int lane = 0; lane < int(lanes_.size()); ++lane)
        paintLane(painter, lane);
    if (!hasFocus()) return;
    painter.setPen(theme.accent);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(track(0).topLeft(), track(int(lanes_.size()) - 1).bottomRight())
                         .adjusted(0.5, 0.5, -0.5, -0.5));
}

void HeartbeatChart::paintLane(QPainter& painter, int lane) const {
    const Theme& theme = Theme::of(this);
    const Lane& wanted = lanes_[std::size_t(lane)];
    const QRectF area = track(lane);
    painter.setPen(theme.text);
    painter.setFont(font());
    painter.drawText(QRectF(0, area.top(), area.left() - 12, area.height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(wanted.name, Qt::ElideRight, nameWidth() - 12));
    painter.fillRect(QRectF(area.left(), std::round(area.center().y()), area.width(), 1),
                     theme.hairline);
    painter.save();
    painter.setClipRect(area);

    const double left = right() - spanSeconds();
    const double inset = std::min(5.0, area.height() * 0.2);
    const auto first =
        std::lower_bound(wanted.beats.begin(), wanted.beats.end(), left,
                         [](const Beat& beat, double time) { return beat.time < time; });
    const double tick = std::clamp(area.width() * interval_ / spanSeconds() * 0.35, 1.0, 4.0);
    double drawnTo = -1;
    const double newest = right();
    const double pixelsASecond = area.width() / spanSeconds();
    for (auto beat = first; beat != wanted.beats.end() && beat->time <= newest; ++beat) {
        const double x = area.right() - (newest - beat->time) * pixelsASecond - tick / 2;
        if (x < drawnTo) continue;  // several on one pixel look like one
        drawnTo = x + 0.5;
        painter.fillRect(QRectF(x, area.top() + inset, tick, area.height() - 2 * inset),
                         theme.phaseColour(beat->phase));
    }
    painter.setFont(smallFont());
    for (const Gap& gap : gaps(lane)) {
        if (gap.to < left || gap.from > right()) continue;
        const Tone tone = gap.lasting ? Tone::Bad : Tone::Warn;
        const double from = std::max(area.left(), xAt(gap.from) + tick);
        const QRectF bar(from, area.top() + inset,
                         std::min(area.right(), xAt(gap.to)) - tick - from,
                         area.height() - 2 * inset);
        if (bar.width() <= 0) continue;
        painter.fillRect(bar, theme.toneSoft(tone));
        painter.fillRect(QRectF(bar.left(), bar.bottom() - 2, bar.width(), 2), theme.tone(tone));
        const QString words = units::duration(gap.to - gap.from);
        painter.setPen(theme.tone(tone));
        if (painter.fontMetrics().horizontalAdvance(words) + 4 <= bar.width() &&
            bar.height() >= 12) {
            painter.drawText(bar.adjusted(0, -1, 0, -1), Qt::AlignCenter, words);
        }
    }
    painter.restore();
}

void HeartbeatChart::paintTimeAxis(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    const QRectF first = track(0);
    const double bottom = track(int(lanes_.size()) - 1).bottom();
    painter.setFont(smallFont());
    const int wanted = std::max(2, int(first.width() / kTickWidth));
    // Ages before the present: marks then stand still while time moves under them.
    const double oldest = now() - (right() - spanSeconds());
    const double newest = now() - right();
    for (const Tick& tick : timeTicks({std::max(0.0, newest), oldest}, wanted)) {
        const double x = xAt(now() - tick.position);
        painter.fillRect(QRectF(std::round(x), 0, 1, bottom), theme.grid);
        painter.setPen(theme.textSecondary);
        const bool present = tick.position == 0;
        const QString label =
            present ? (now_ ? tr("end") : tr("now")) : QStringLiteral("−") + tick.label;
        const QRectF place(x - 50, bottom + 2, 100, kAxis - 2);
        if (present)
            painter.drawText(place.translated(kRight - 50, 0), Qt::AlignRight, label);
        else
            painter.drawText(place, Qt::AlignHCenter, label);
    }
}

void HeartbeatChart::zoom(double factor) {
    span_ = std::clamp(spanSeconds() / factor, kLeastSpan, kLargestSpan);
    update();
}

void HeartbeatChart::pan(double seconds) {
    setFollow(false);
    right_ = std::min(right_ + seconds, now());
    update();
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

QString HeartbeatChart::describe(const QPoint& position) const {
    for (int lane = 0; lane < int(lanes_.size()); ++lane) {
        if (!track(lane).contains(position)) continue;
        const double time = timeAt(position.x());
        for (const Gap& gap : gaps(lane)) {
            if (time < gap.from || time > gap.to) continue;
            return tr("%1: silent for %2")
                .arg(lanes_[std::size_t(lane)].name, units::duration(gap.to - gap.from));
        }
        const std::deque<Beat>& beats = lanes_[std::size_t(lane)].beats;
        const auto after =
            std::lower_bound(beats.begin(), beats.end(), time,
                             [](const Beat& beat, double at) { return beat.time < at; });
        if (after == beats.end()) return {};
        const QString when = QDateTime::fromMSecsSinceEpoch(qint64(after->time * 1000))
                                 .toString(QStringLiteral("HH:mm:ss.zzz"));
        return tr("%1 at %2: %3")
            .arg(lanes_[std::size_t(lane)].name, when, phaseNames_.value(after->phase));
    }
    return {};
}

bool HeartbeatChart::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && !lanes_.empty()) {
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
