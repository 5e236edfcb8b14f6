// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/paint/lane_marks.h"

#include <QPen>
#include <algorithm>
#include <cmath>
#include <utility>

namespace lockstep::ui {

namespace {

constexpr double kCross = 4;  // half of its side

}  // namespace

void paintLossOnLane(QPainter& painter, const QRectF& lane, double x, const Theme& theme) {
    const QPointF middle(std::clamp(x, lane.left() + kCross, lane.right()), lane.center().y());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    for (const auto& [ink, width] : {std::pair(theme.surface, 5), std::pair(theme.bad, 2)}) {
        painter.setPen(QPen(ink, width, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(middle - QPointF(kCross, kCross), middle + QPointF(kCross, kCross));
        painter.drawLine(middle - QPointF(kCross, -kCross), middle + QPointF(kCross, -kCross));
    }
    painter.restore();
}

void paintStartAcrossLanes(QPainter& painter, double x, double top, double bottom,
                           const Theme& theme) {
    x = std::round(x) + 0.5;
    painter.setPen(QPen(theme.accent, 1, Qt::DashLine));
    painter.drawLine(QPointF(x, top), QPointF(x, bottom));
}

}  // namespace lockstep::ui
