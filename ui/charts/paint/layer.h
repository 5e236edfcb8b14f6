// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QImage>
#include <QSizeF>
#include <optional>
#include <vector>

#include "ui/charts/paint/axis_range.h"
#include "ui/charts/paint/x_scale.h"
#include "ui/charts/store/column_store.h"

namespace lockstep::ui {

/// One curve of a picture.
struct LayerSeries {
    int key = 0;  ///< Its number in the chart.
    ColumnView values;
    XScale scale;
    QColor colour;
    bool mean = false;
    bool exact = false;  ///< Over the others, with all its points, never smoothed.
    bool quiet = false;  ///< Behind the others.
};

/// What an automatic y axis is chosen by, besides the values.
struct YAxisRules {
    std::optional<double> low;      ///< The axis reaches at least down to here.
    std::optional<double> ceiling;  ///< It ends here where no value lies beyond.
    bool ignoreOutliers = false;
};

/// Everything that the render thread needs to draw the curves of one chart, as values.
struct LayerRequest {
    quint64 revision = 0;  ///< Handed back with the picture.
    QSizeF size;           ///< The plot's, in device independent pixels.
    qreal ratio = 1;       ///< Device pixels of each.
    AxisRange x;
    AxisRange y;                           ///< Values, or their decimal logarithms when logY.
    std::optional<YAxisRules> automaticY;  ///< Given: y is chosen by what is to be seen.
    bool logY = false;
    double smoothing = 0;
    QColor marker;  ///< The colour of the triangles where values are not finite.
    std::vector<LayerSeries> series;
};

/// The curves on a transparent ground, with the ranges they were drawn for.
struct RenderedLayer {
    quint64 revision = 0;
    QSizeF size;  ///< As requested.
    QImage image;
    bool hasCurves = false;       ///< It was drawn from points.
    double processorSeconds = 0;  ///< That drawing it took, on all threads, about.
    AxisRange x;
    AxisRange y;
    bool logY = false;
    /// Where curves leave an automatic axis at the top, rarely: across the plot, 0 to 1.
    std::vector<double> spikes;
    /// Where that is not rare: how many points lie above it, instead of their places.
    qint64 pointsAbove = 0;
    static constexpr qint64 kMostCounted = 10'000;  ///< Where counting ends.
    /// Smoothed columns by series key, index for index; empty without smoothing.
    std::vector<ColumnView> smoothed;
};

}  // namespace lockstep::ui
