// SPDX-License-Identifier: GPL-3.0-or-later
// How the lanes of steps look. A frame costs as much as the lanes that are seen are wide, however
// many steps there are.
#include <QPaintEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/charts/paint/lane_marks.h"
#include "ui/charts/paint/ticks.h"
#include "ui/charts/surface/heartbeat_geometry.h"
#include "ui/charts/surface/timeline_chart.h"
#include "ui/charts/surface/timeline_geometry.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"

namespace lockstep::ui {

namespace {

constexpr int kTickWidth = 110;
constexpr int kNumberGap = 12;
constexpr int kCheckpointColour = 6;   // of Theme::phaseColour()
constexpr std::size_t kStepWidth = 8;  // from which on each step is told from the next one
constexpr double kMillisecond = 1e6;   // nanoseconds

double insetOf(const QRectF& area) {
    return std::min(4.0, area.height() * 0.15);
}

}  // namespace

QColor TimelineChart::colourOf(int kind) const {
    const Theme& theme = Theme::of(this);
    return kind == StepLane::kRest ? mixed(theme.surface, theme.textSecondary, 0.3)
                                   : theme.phaseColour(kind);
}

void TimelineChart::paintEvent(QPaintEvent* event) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    if (isEmpty()) {
        painter.setPen(theme.textSecondary);
        painter.drawText(rect(), Qt::AlignCenter, emptyWords_);
        return;
    }
    paintTimeAxis(painter);
    paintNames(painter, event->rect());
    paintStepNumbers(painter);
    for (int lane = 0; lane < laneCount(); ++lane) {
        const QRectF area = track(lane);
        if (!area.toAlignedRect().intersects(event->rect())) continue;
        const Lane& mine = lanes_[std::size_t(lane)];
        paintSteps(painter, mine.steps, area);
        paintLosses(painter, mine, area);
    }
    paintCheckpoints(painter);
    paintLoads(painter);
    paintStarts(painter);
    if (!hasFocus()) return;
    painter.setPen(theme.accent);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(track(0).topLeft(), track(laneCount() - 1).bottomRight())
                         .adjusted(0.5, 0.5, -0.5, -0.5));
}

/// Where lanes are low, not of each.
void TimelineChart::paintNames(QPainter& painter, const QRect& seen) const {
    painter.setPen(Theme::of(this).text);
    painter.setFont(isDense() ? smallFont() : font());
    const QFontMetrics metrics = painter.fontMetrics();
    const auto write = [&](int row, const QString& name) {
        const QRectF area = track(row);
        const double tall = std::max<double>(metrics.height(), area.height());
        if (area.center().y() + tall < seen.top() || area.center().y() - tall > seen.bottom())
            return;
        painter.drawText(QRectF(0, area.center().y() - tall / 2, area.left() - kNameGap, tall),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(name, Qt::ElideRight, int(area.left()) - kNameGap));
    };
    const int each =
        isDense() ? std::max(1, int(std::ceil(metrics.height() / track(0).height()))) : 1;
    const bool hasCheckpoints = !checkpoints_.empty();
    for (int lane = 0; lane < laneCount(); lane += each) {
        const bool hasRoom = !hasCheckpoints || laneCount() - lane >= each;
        if (hasRoom)
            write(lane, isDense() ? lanes_[std::size_t(lane)].name.brief
                                  : lanes_[std::size_t(lane)].name.full);
    }
    if (hasCheckpoints) write(laneCount(), tr("checkpoints"));
}

/// By column of pixels, what takes most of it.
void TimelineChart::paintSteps(QPainter& painter, const StepLane& steps, const QRectF& area) const {
    const double inset = insetOf(area);
    painter.fillRect(QRectF(area.left(), std::round(area.center().y()), area.width(), 1),
                     Theme::of(this).hairline);
    const int columns = int(area.width());
    const double each = double(span()) / area.width();
    std::size_t index = steps.firstEndingAfter(shownFrom());
    StepLane::Taken before = steps.takenBefore(shownFrom(), index);
    int from = 0;
    int drawn = StepLane::kNothing;
    for (int column = 0; column <= columns; ++column) {
        int kind = StepLane::kNothing;
        if (column < columns) {
            const qint64 time = shownFrom() + qint64((column + 1) * each);
            const StepLane::Taken after = steps.takenBefore(time, index);
            kind = StepLane::mostOf(before, after);
            before = after;
        }
        if (kind == drawn) continue;
        if (drawn != StepLane::kNothing)
            painter.fillRect(QRectF(area.left() + from, area.top() + inset, column - from,
                                    area.height() - 2 * inset),
                             colourOf(drawn));
        from = column;
        drawn = kind;
    }
    paintStepEdges(painter, steps, area);
}

/// Where steps are wide, a gap tells them apart.
void TimelineChart::paintStepEdges(QPainter& painter, const StepLane& steps,
                                   const QRectF& area) const {
    const std::size_t first = steps.firstBeginningAt(shownFrom());
    const std::size_t behind = steps.firstBeginningAt(shownUntil());
    if ((behind - first) * kStepWidth > std::size_t(std::max(0.0, area.width()))) return;
    for (std::size_t i = first; i < behind; ++i)
        painter.fillRect(QRectF(std::floor(xAt(steps.at(i).begin)), area.top(), 1, area.height()),
                         Theme::of(this).surface);
}

void TimelineChart::paintCheckpoints(QPainter& painter) const {
    const QRectF area = track(laneCount());
    const double inset = insetOf(area);
    double drawnTo = area.left();
    auto write = std::lower_bound(checkpoints_.begin(), checkpoints_.end(), shownFrom(),
                                  [](const Write& one, qint64 time) { return one.end < time; });
    for (; write != checkpoints_.end() && write->begin <= shownUntil(); ++write) {
        const double end = std::min(area.right(), xAt(write->end));
        const double begin = std::max(drawnTo, std::min(xAt(write->begin), end - 2));
        if (end <= begin) continue;  // several on one pixel look like one
        painter.fillRect(QRectF(begin, area.top() + inset, end - begin, area.height() - 2 * inset),
                         Theme::of(this).phaseColour(kCheckpointColour));
        drawnTo = end;
    }
}

void TimelineChart::paintLosses(QPainter& painter, const Lane& lane, const QRectF& area) const {
    for (const Mark& loss : lane.losses) {
        if (isShown(loss.time)) paintLossOnLane(painter, area, xAt(loss.time), Theme::of(this));
    }
}

/// The first start is where everything begins, and needs no line.
void TimelineChart::paintStarts(QPainter& painter) const {
    for (std::size_t i = 1; i < starts_.size(); ++i) {
        if (!isShown(starts_[i])) continue;
        paintStartAcrossLanes(painter, xAt(starts_[i]), kStepRow, bottom(), Theme::of(this));
    }
}

/// Round numbers, above the beginnings of those steps, of the first replica that has any.
void TimelineChart::paintStepNumbers(QPainter& painter) const {
    const auto lane = std::ranges::find_if(lanes_, [this](const Lane& one) {
        return one.steps.firstBeginningAt(shownFrom()) < one.steps.firstBeginningAt(shownUntil());
    });
    if (lane == lanes_.end()) return;
    const StepLane& steps = lane->steps;
    const std::size_t behind = steps.firstBeginningAt(shownUntil());
    std::size_t i = steps.firstBeginningAt(shownFrom());
    painter.setFont(smallFont());
    painter.setPen(Theme::of(this).textSecondary);
    const QFontMetrics metrics = painter.fontMetrics();
    const QRectF area = track(0);
    const int widest = metrics.horizontalAdvance(units::count(steps.at(behind - 1).number));
    const int most = std::max(1, int(area.width()) / (widest + 2 * kNumberGap));
    const auto every = std::max<qint64>(1, std::llround(roundInterval(double(behind - i), most)));
    double free = area.left();
    while (i < behind) {
        const StepLane::Step step = steps.at(i);
        // Numbers follow each other, but where a start of the run repeats some.
        const qint64 over = step.number % every;
        i += std::size_t(every - over);
        if (over != 0) continue;
        const QString label = units::count(step.number);
        const double x = xAt(step.begin);
        const double end = x + metrics.horizontalAdvance(label) + 1;
        if (x < free || end > area.right()) continue;
        painter.drawText(QRectF(x, 0, end - x, kStepRow - 2), Qt::AlignLeft | Qt::AlignBottom,
                         label);
        free = end + kNumberGap;
    }
}

void TimelineChart::paintTimeAxis(QPainter& painter) const {
    const QRectF first = track(0);
    const QRectF line(first.left(), kStepRow, first.width(), bottom() - kStepRow);
    painter.setFont(smallFont());
    painter.setPen(Theme::of(this).textSecondary);
    const QString older = olderWords();
    const double wide = painter.fontMetrics().horizontalAdvance(older);
    painter.drawText(QRectF(line.left(), line.bottom() + 2, wide + 1, kAxis - 2), Qt::AlignLeft,
                     older);
    const qreal from = older.isEmpty() ? 0 : line.left() + wide + kNumberGap;
    const int wanted = std::max(2, int(line.width()) / kTickWidth);
    const bool isFine = roundInterval(double(span()), wanted) < kMillisecond;
    isFine ? paintMicroseconds(painter, line, from) : paintClock(painter, line, from);
}

void TimelineChart::paintClock(QPainter& painter, const QRectF& line, qreal from) const {
    const Theme& theme = Theme::of(this);
    const int wanted = std::max(2, int(line.width()) / kTickWidth);
    const double origin = double(shownFrom()) / kNanoseconds;
    for (const Tick& tick : clockTicks({0, double(span()) / kNanoseconds}, origin, wanted)) {
        const double x = xAt(shownFrom() + std::llround(tick.position * kNanoseconds));
        painter.fillRect(QRectF(std::round(x), line.top(), 1, line.height()), theme.grid);
        painter.setPen(theme.textSecondary);
        const QRectF place(x - kTickWidth / 2.0, line.bottom() + 2, kTickWidth, kAxis - 2);
        if (place.left() >= from && place.right() <= width())
            painter.drawText(place, Qt::AlignHCenter, tick.label);
    }
}

/// Within milliseconds no clock is read: how much later than a time that is named it is.
void TimelineChart::paintMicroseconds(QPainter& painter, const QRectF& line, qreal from) const {
    const Theme& theme = Theme::of(this);
    const int wanted = std::max(2, int(line.width()) / kTickWidth);
    const qint64 interval =
        std::max<qint64>(1000, std::llround(roundInterval(double(span()), wanted)));
    constexpr auto kWhole = qint64(kMillisecond);
    const qint64 base = shownFrom() / kWhole * kWhole;
    if (from == 0) {
        const QString named = units::exactTimeOfDay(double(base) / kNanoseconds);
        const double wide = painter.fontMetrics().horizontalAdvance(named) + 1;
        painter.drawText(QRectF(0, line.bottom() + 2, line.left() + wide, kAxis - 2), Qt::AlignLeft,
                         named);
        from = wide + kNumberGap;
    }
    const qint64 first = (shownFrom() - base + interval - 1) / interval * interval;
    for (qint64 offset = first; base + offset <= shownUntil(); offset += interval) {
        const double x = xAt(base + offset);
        painter.fillRect(QRectF(std::round(x), line.top(), 1, line.height()), theme.grid);
        painter.setPen(theme.textSecondary);
        const QRectF place(x - kTickWidth / 2.0, line.bottom() + 2, kTickWidth, kAxis - 2);
        if (place.left() + kTickWidth / 4.0 >= from && place.right() <= width())
            painter.drawText(place, Qt::AlignHCenter,
                             QStringLiteral("+%1 µs").arg(units::count(offset / 1000)));
    }
}

}  // namespace lockstep::ui
