// SPDX-License-Identifier: GPL-3.0-or-later
// The chart's pixel columns against a scan of every point.
#pragma once

#include <cmath>
#include <vector>

#include "ui/charts/paint/curve_place.h"

namespace lockstep::bench {

/// Pixel columns that differ from what a walk along the line from point to point covers.
[[nodiscard]] inline int differingColumns(const ui::LayerRequest& request, QSize pixels) {
    const ui::LayerSeries& series = request.series.front();
    const ui::ColumnView& values = series.values;
    const ui::CurvePlace place(request, series, values, pixels);
    std::vector<ui::ColumnSpan> drawn(std::size_t(pixels.width()));
    place.spans(0, drawn);
    std::vector<ui::ColumnSpan> walked(drawn.size());
    const auto include = [&](qint64 column, double y) {
        if (column >= 0 && column < pixels.width()) walked[std::size_t(column)].include(y);
    };
    for (qint64 i = 0; i < values.size(); ++i) {
        const double x = place.xOf(i);
        const double y = place.yOf(values.at(i));
        include(qint64(std::floor(x)), y);
        if (i + 1 == values.size()) break;
        const double nextX = place.xOf(i + 1);
        const double slope = (place.yOf(values.at(i + 1)) - y) / (nextX - x);
        // Both columns at every boundary that the line to the next point crosses.
        const auto first = qint64(std::max(0.0, std::ceil(x)));
        const auto last = qint64(std::min(double(pixels.width()), std::floor(nextX)));
        for (qint64 boundary = first; boundary <= last; ++boundary) {
            if (double(boundary) == x) continue;
            const double crossing = y + slope * (double(boundary) - x);
            include(boundary - 1, crossing);
            include(boundary, crossing);
        }
    }
    int different = 0;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        const bool same =
            drawn[i].isEmpty() == walked[i].isEmpty() &&
            (drawn[i].isEmpty() || (std::abs(drawn[i].top - walked[i].top) < 1e-3F &&
                                    std::abs(drawn[i].bottom - walked[i].bottom) < 1e-3F));
        different += same ? 0 : 1;
    }
    return different;
}

}  // namespace lockstep::bench
