// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QImage>
#include <QSizeF>
#include <vector>

#include "ui/charts/chart_group.h"
#include "ui/charts/column_store.h"

namespace lockstep::ui {

/// One curve of a picture.
struct LayerSeries {
    int key = 0;  ///< Its number in the chart.
    ColumnView values;
    TimeView times;
    QColor colour;
    bool mean = false;
};

/// Everything that the render thread needs to draw the curves of one chart, as values.
struct LayerRequest {
    quint64 revision = 0;  ///< Handed back with the picture.
    QSizeF size;           ///< Of the plot, in device independent pixels.
    qreal ratio = 1;       ///< Device pixels of each.
    ChartGroup::Range x;   ///< Steps, or seconds since timeOrigin.
    ChartGroup::Range y;   ///< Values, or their decimal logarithms when logY.
    XAxis axis = XAxis::Step;
    double timeOrigin = 0;
    bool logY = false;
    double smoothing = 0;
    QColor marker;  ///< Of the triangles where values are not finite.
    std::vector<LayerSeries> series;
};

/// The curves on a transparent ground, with the ranges they were drawn for.
struct RenderedLayer {
    quint64 revision = 0;
    QImage image;
    ChartGroup::Range x;
    ChartGroup::Range y;
    /// Smoothed columns by series key, index for index; empty without smoothing.
    std::vector<ColumnView> smoothed;
};

}  // namespace lockstep::ui
