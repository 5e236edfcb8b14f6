// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/paint/mark_painting.h"

#include <QPen>
#include <cmath>

namespace lockstep::ui {

namespace {

constexpr qreal kEpochTick = 6;
constexpr qreal kMarkSize = 3.5;
constexpr qreal kSpikeWidth = 7;
constexpr qreal kSpikeHeight = 5;
constexpr qreal kRing = 5;

}  // namespace

void paintMark(QPainter& painter, const QRectF& plot, AxisMark::Kind kind, double x,
               std::optional<double> y, const Theme& theme) {
    x = std::round(x) + 0.5;
    const QPointF foot(x, plot.bottom());
    const auto line = [&](const QColor& colour, Qt::PenStyle style) {
        painter.setPen(QPen(colour, 1, style));
        painter.drawLine(QPointF(x, plot.top()), foot);
    };
    switch (kind) {
        case AxisMark::Kind::Epoch:
            painter.setPen(QPen(theme.textDisabled, 1));
            painter.drawLine(foot - QPointF(0, kEpochTick), foot);
            break;
        case AxisMark::Kind::Checkpoint:
            painter.setPen(Qt::NoPen);
            painter.setBrush(theme.accent);
            painter.drawConvexPolygon(
                QPolygonF({foot - QPointF(0, kMarkSize), foot + QPointF(kMarkSize, 0),
                           foot + QPointF(0, kMarkSize), foot - QPointF(kMarkSize, 0)}));
            break;
        case AxisMark::Kind::Restart:
            line(theme.accent, Qt::DashLine);
            break;
        case AxisMark::Kind::Loss:
            line(mixed(theme.surface, theme.bad, 0.5), Qt::DotLine);
            painter.setPen(QPen(theme.bad, 2));
            for (const double up : {1.0, -1.0})
                painter.drawLine(foot - QPointF(kMarkSize, up * kMarkSize),
                                 foot + QPointF(kMarkSize, up * kMarkSize));
            break;
        case AxisMark::Kind::Verdict:
            line(mixed(theme.surface, theme.warn, 0.5), Qt::DotLine);
            painter.setPen(QPen(theme.warn, 2));
            painter.setBrush(theme.surface);
            painter.drawConvexPolygon(QPolygonF({foot + QPointF(-kMarkSize, kMarkSize / 2),
                                                 foot + QPointF(kMarkSize, kMarkSize / 2),
                                                 foot - QPointF(0, kMarkSize)}));
            break;
        case AxisMark::Kind::Best:
            line(theme.good, Qt::DashLine);
            break;
        case AxisMark::Kind::Chosen:
            line(theme.accent, Qt::SolidLine);
            break;
        case AxisMark::Kind::Count:
            break;
    }
    if (!y) return;
    const bool isBest = kind == AxisMark::Kind::Best;
    painter.setPen(QPen(isBest ? theme.good : theme.accent, 2));
    painter.setBrush(Qt::NoBrush);
    const double radius = isBest ? kRing + 3 : kRing;
    painter.drawEllipse(QPointF(x, *y), radius, radius);
}

void paintSpike(QPainter& painter, const QRectF& plot, double x, const Theme& theme) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme.textSecondary);
    const QPointF tip(x, plot.top());
    painter.drawConvexPolygon(QPolygonF({tip, tip + QPointF(kSpikeWidth / 2, kSpikeHeight),
                                         tip + QPointF(-kSpikeWidth / 2, kSpikeHeight)}));
}

}  // namespace lockstep::ui
