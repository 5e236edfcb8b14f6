// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QRectF>

#include "ui/style/theme.h"

namespace lockstep::ui {

// What happened to a process, on its lane of heartbeats or of steps: the same signs on both.

/// So near is the mouse on a mark, in pixels.
inline constexpr double kNearMark = 5;

/// The process was lost: a cross on a ground of its own, seen in the lowest lane too.
void paintLossOnLane(QPainter& painter, const QRectF& lane, double x, const Theme& theme);

/// The run was started again: a line through all lanes, which lie from `top` to `bottom`.
void paintStartAcrossLanes(QPainter& painter, double x, double top, double bottom,
                           const Theme& theme);

}  // namespace lockstep::ui
