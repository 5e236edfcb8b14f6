// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QRectF>
#include <QString>

class QPainter;

namespace lockstep::ui {

/// Paints an axis's title above the point `foot`, centred on it in `room` pixels: on two lines
/// where one is too short, else with "…". It stays within `bounds`, and has the pen's colour.
void paintAxisTitle(QPainter& painter, const QString& title, const QPointF& foot, qreal room,
                    const QRectF& bounds);

/// What titles of up to two lines need above their axes, in pixels.
[[nodiscard]] qreal axisTitleHeight();

}  // namespace lockstep::ui
