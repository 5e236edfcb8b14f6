// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QPointF>
#include <QRectF>

#include "ui/style/theme.h"

namespace lockstep::ui {

// What happened to a process, on its lane of heartbeats or of steps: the same signs on both.

/// So near is the mouse on a mark, in pixels.
inline constexpr double kNearMark = 5;

/// Finds the mark under the mouse: the nearest one, and of those at one place the last, which is
/// painted over the others.
class NearestMark {
public:
    explicit NearestMark(double mouse) : mouse_(mouse) {}
    /// Whether the mark that is painted at `x` is the nearest one so far.
    [[nodiscard]] bool takes(double x);

private:
    double mouse_;
    double distance_ = kNearMark;
};

/// The middle of the cross of a loss that happened at `x`: no cross lies on the name of its lane.
[[nodiscard]] QPointF middleOfLoss(const QRectF& lane, double x);

/// The process was lost: a cross on a ground of its own, seen in the lowest lane too.
void paintLossOnLane(QPainter& painter, const QRectF& lane, double x, const Theme& theme);

/// The run was started again: a line through all lanes, which lie from `top` to `bottom`.
void paintStartAcrossLanes(QPainter& painter, double x, double top, double bottom,
                           const Theme& theme);

}  // namespace lockstep::ui
