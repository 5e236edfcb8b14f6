// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSize>
#include <vector>

#include "ui/charts/paint/curve_place.h"

namespace lockstep::ui {

/// One curve of a picture, raw or smoothed, and how it is drawn. Borrows its series and values.
struct StyledCurve {
    const LayerSeries& series;
    CurvePlace place;
    QColor colour;     ///< With its alpha.
    double width;      ///< Device independent pixels, as the radius.
    double dotRadius;  ///< Of points that stand alone.
    bool sparse;       ///< Drawn as lines from point to point, not as the extents of columns.
    bool dotted;       ///< Sparse, and every point is marked.
    bool raw;          ///< Not a smoothed one.
};

/// From the back to the front: faint raw curves behind smoothed ones, replicas, means, single
/// points. `smoothed` is empty, or has a column a series.
[[nodiscard]] std::vector<StyledCurve> orderedCurves(const LayerRequest& request,
                                                     const std::vector<ColumnView>& smoothed,
                                                     QSize pixels);

}  // namespace lockstep::ui
