// SPDX-License-Identifier: GPL-3.0-or-later
// How the lanes of heartbeats look.
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/charts/paint/lane_marks.h"
#include "ui/charts/paint/ticks.h"
#include "ui/charts/surface/heartbeat_chart.h"
#include "ui/charts/surface/heartbeat_geometry.h"
#include "ui/style/theme.h"
#include "ui/style/units.h"

namespace lockstep::ui {

namespace {

constexpr int kTickWidth = 90;

double insetOf(const QRectF& area) {
    return std::min(5.0, area.height() * 0.2);
}

}  // namespace

void HeartbeatChart::paintEvent(QPaintEvent*) {
    const Theme& theme = Theme::of(this);
    QPainter painter(this);
    if (isEmpty()) {
        painter.setPen(theme.textSecondary);
        painter.drawText(rect(), Qt::AlignCenter, emptyWords());
        return;
    }
    paintTimeAxis(painter);
    painter.setPen(theme.text);
    painter.setFont(isDense() ? smallFont() : font());
    for (const Label& label : labels())
        painter.drawText(label.place, Qt::AlignLeft | Qt::AlignVCenter, label.text);
    for (int lane = 0; lane < int(lanes_.size()); ++lane)
        paintLane(painter, lane);
    paintStarts(painter);
    if (!hasFocus()) return;
    painter.setPen(theme.accent);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(track(0).topLeft(), track(int(lanes_.size()) - 1).bottomRight())
                         .adjusted(0.5, 0.5, -0.5, -0.5));
}

void HeartbeatChart::paintLane(QPainter& painter, int lane) const {
    const Lane& wanted = lanes_[std::size_t(lane)];
    const QRectF area = track(lane);
    painter.fillRect(QRectF(area.left(), std::round(area.center().y()), area.width(), 1),
                     Theme::of(this).hairline);
    painter.save();
    painter.setClipRect(area);
    paintBeats(painter, wanted, area);
    paintGaps(painter, lane, area);
    painter.restore();
    paintLosses(painter, wanted, area);
}

double HeartbeatChart::tickWidth() const {
    return std::clamp(track(0).width() * kBeatInterval / spanSeconds() * 0.35, 1.0, 4.0);
}

void HeartbeatChart::paintBeats(QPainter& painter, const Lane& lane, const QRectF& area) const {
    const Theme& theme = Theme::of(this);
    const double left = right() - spanSeconds();
    const double inset = insetOf(area);
    const auto first =
        std::lower_bound(lane.beats.begin(), lane.beats.end(), left,
                         [](const Beat& beat, double time) { return beat.time < time; });
    const double tick = tickWidth();
    double drawnTo = -1;
    const double newest = right();
    const double pixelsASecond = area.width() / spanSeconds();
    for (auto beat = first; beat != lane.beats.end() && beat->time <= newest; ++beat) {
        const double x = area.right() - (newest - beat->time) * pixelsASecond - tick / 2;
        if (x < drawnTo) continue;  // several on one pixel look like one
        drawnTo = x + 0.5;
        painter.fillRect(QRectF(x, area.top() + inset, tick, area.height() - 2 * inset),
                         theme.phaseColour(beat->phase));
    }
}

void HeartbeatChart::paintGaps(QPainter& painter, int lane, const QRectF& area) const {
    const Theme& theme = Theme::of(this);
    const double left = right() - spanSeconds();
    const double inset = insetOf(area);
    const double tick = tickWidth();
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
}

void HeartbeatChart::paintLosses(QPainter& painter, const Lane& lane, const QRectF& area) const {
    for (const Loss& loss : lane.losses) {
        if (isShown(loss.wallTime))
            paintLossOnLane(painter, area, xAt(loss.wallTime), Theme::of(this));
    }
}

/// The first start is where everything begins, and needs no line.
void HeartbeatChart::paintStarts(QPainter& painter) const {
    const double bottom = track(int(lanes_.size()) - 1).bottom();
    for (std::size_t i = 1; i < starts_.size(); ++i) {
        if (!isShown(starts_[i])) continue;
        paintStartAcrossLanes(painter, xAt(starts_[i]), 0, bottom, Theme::of(this));
    }
}

void HeartbeatChart::paintTimeAxis(QPainter& painter) const {
    const Theme& theme = Theme::of(this);
    const QRectF first = track(0);
    const double bottom = track(int(lanes_.size()) - 1).bottom();
    painter.setFont(smallFont());
    const int wanted = std::max(2, int(first.width() / kTickWidth));
    const QString older = olderWords();
    const QRectF edge(first.left(), bottom + 2, painter.fontMetrics().horizontalAdvance(older),
                      kAxis - 2);
    painter.setPen(theme.textSecondary);
    painter.drawText(edge.adjusted(0, 0, 1, 0), Qt::AlignLeft, older);
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
        else if (older.isEmpty() || x - kTickWidth / 2.0 > edge.right())
            painter.drawText(place, Qt::AlignHCenter, label);
    }
}

}  // namespace lockstep::ui
