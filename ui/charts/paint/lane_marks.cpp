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

bool NearestMark::takes(double x) {
    const double distance = std::abs(x - mouse_);
    if (distance > distance_) return false;
    distance_ = distance;
    return true;
}

QPointF middleOfLoss(const QRectF& lane, double x) {
    // No std::clamp: a lane can be narrower than a cross.
    return {std::max(std::min(x, lane.right()), lane.left() + kCross), lane.center().y()};
}

void paintLossOnLane(QPainter& painter, const QRectF& lane, double x, const Theme& theme) {
    const QPointF middle = middleOfLoss(lane, x);
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
