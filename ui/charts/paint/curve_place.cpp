// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/paint/curve_place.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lockstep::ui {

namespace {
constexpr double kNowhere = std::numeric_limits<double>::quiet_NaN();
}

void ColumnSpan::include(double y) {
    const bool first = isEmpty();
    top = first ? float(y) : std::min(top, float(y));
    bottom = first ? float(y) : std::max(bottom, float(y));
}

CurvePlace::CurvePlace(const LayerRequest& request, const LayerSeries& series,
                       const ColumnView& values, QSize pixels)
    : request_(request),
      series_(series),
      values_(values),
      height_(pixels.height()),
      unitsAPixel_((request.x.last - request.x.first) / pixels.width()) {}

qint64 CurvePlace::indexAt(double pixel) const {
    return values_.lowerBound(series_.scale.stepAt(request_.x.first + pixel * unitsAPixel_));
}

std::vector<qint64> CurvePlace::edges(int firstColumn, std::size_t columns) const {
    std::vector<qint64> indices(columns + 1);
    qint64 hint = 0;
    for (std::size_t i = 0; i <= columns; ++i) {
        const double x = request_.x.first + (firstColumn + double(i)) * unitsAPixel_;
        indices[i] = values_.lowerBound(series_.scale.stepAt(x, hint));
    }
    values_.prefetchStretches(indices);
    return indices;
}

double CurvePlace::xOf(qint64 index) const {
    return (series_.scale.at(values_.stepAt(index)) - request_.x.first) / unitsAPixel_;
}

double CurvePlace::yOf(float value) const {
    const double y = request_.logY ? std::log10(double(value)) : double(value);
    return (request_.y.last - y) / (request_.y.last - request_.y.first) * height_;
}

/// Where the line between two neighbours crosses a pixel boundary; NaN: it does not.
double CurvePlace::crossing(qint64 right, double pixel) const {
    if (right <= 0 || right >= values_.size()) return kNowhere;
    const double y0 = yOf(values_.at(right - 1));
    const double y1 = yOf(values_.at(right));
    const double x0 = xOf(right - 1);
    const double x1 = xOf(right);
    const double y = x1 > x0 ? y0 + (y1 - y0) * (pixel - x0) / (x1 - x0) : y0;
    return std::isfinite(y) ? y : kNowhere;
}

ColumnSpan CurvePlace::extentOf(const MinMax& values) const {
    ColumnSpan span;
    span.nonFinite = values.nonFinite > 0;
    if (values.isEmpty()) return span;
    const double top = yOf(values.max);
    if (!std::isfinite(top)) return span;  // nothing positive on a log scale
    const double bottom = yOf(values.min);
    span.include(top);
    span.include(std::isfinite(bottom) ? bottom : height_);
    return span;
}

void CurvePlace::spans(int firstColumn, std::span<ColumnSpan> columns) const {
    spans(firstColumn, edges(firstColumn, columns.size()), columns);
}

void CurvePlace::spans(int firstColumn, std::span<const qint64> indices,
                       std::span<ColumnSpan> columns) const {
    double entry = crossing(indices[0], firstColumn);
    std::vector<Stretch> stretches(columns.size());
    values_.stretches(indices, stretches);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Stretch& column = stretches[i];
        const bool isLast = i + 1 == columns.size();
        columns[i] = extentOf(column.bounds);
        if (std::isfinite(entry)) columns[i].include(entry);
        // Where neither side can gain by it, the values beside the boundary are not fetched.
        const bool isInside = column.holdsEnd && (isLast || stretches[i + 1].holdsBegin);
        entry = isInside ? kNowhere : crossing(indices[i + 1], firstColumn + double(i) + 1);
        if (std::isfinite(entry)) columns[i].include(entry);
    }
}

}  // namespace lockstep::ui
