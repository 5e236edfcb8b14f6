// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QPolygonF>
#include <vector>

#include "ui/charts/paint/layer.h"

namespace lockstep::ui {

/// A curve as lines for any paint device, in units of the plot that was asked for, from its upper
/// left corner: cut to the plot, and at values that are not finite.
struct CurveStrokes {
    QColor colour;
    double width = 1;
    double dotRadius = 0;  ///< 0: points are not marked.
    std::vector<QPolygonF> lines;
    QPolygonF dots;
};

struct StrokedCurves {
    std::vector<CurveStrokes> curves;  ///< From the back to the front.
    std::vector<double> holes;         ///< Where values are not finite, across the plot.
};

/// The curves of a request (whose y is chosen). Where many points share
/// a width that no eye can tell apart, the line goes from the smallest to the largest of them, so
/// that no spike is lost and no file has a million points. `smoothed` is empty or has a column a
/// series.
[[nodiscard]] StrokedCurves strokeCurves(const LayerRequest& request,
                                         const std::vector<ColumnView>& smoothed);

}  // namespace lockstep::ui
