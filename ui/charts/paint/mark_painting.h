// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPainter>
#include <QRectF>
#include <optional>

#include "ui/charts/paint/axis_mark.h"
#include "ui/style/theme.h"

namespace lockstep::ui {

/// Subtle where it happens often, across the plot where it is rare. `x`, and `y` of its ring where
/// it has one, are where it lies in the painter's coordinates.
void paintMark(QPainter& painter, const QRectF& plot, AxisMark::Kind kind, double x,
               std::optional<double> y, const Theme& theme);

/// Along the top edge: a triangle that points to what lies above, at `x` of the painter.
void paintSpike(QPainter& painter, const QRectF& plot, double x, const Theme& theme);

}  // namespace lockstep::ui
