// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "ui/charts/paint/layer.h"

namespace lockstep::ui {

/// What a pixel column shows of a curve: from `top` to `bottom`, downwards in device pixels.
struct ColumnSpan {
    float top = 0;
    float bottom = -1;
    bool nonFinite = false;  ///< There are values that are not finite.

    [[nodiscard]] bool isEmpty() const { return !(top <= bottom); }
    void include(double y);
};

/// Where the points of one series lie in a picture, in device pixels. Borrows all it is given.
class CurvePlace {
public:
    CurvePlace(const LayerRequest& request, const LayerSeries& series, const ColumnView& values,
               QSize pixels);

    [[nodiscard]] const ColumnView& values() const { return values_; }
    /// The first index at or right of a pixel boundary.
    [[nodiscard]] qint64 indexAt(double pixel) const;
    [[nodiscard]] double xOf(qint64 index) const;
    /// Downwards; not finite for a value that has no place (NaN, or not positive on a log scale).
    [[nodiscard]] double yOf(float value) const;

    /// For consecutive columns from `firstColumn` on: all that the line through the points covers
    /// there, from the smallest to the largest value, and where it enters and leaves the column.
    /// Exact, whatever the number of points.
    void spans(int firstColumn, std::span<ColumnSpan> columns) const;
    /// The same in two steps, for who has something else to do while memory answers the first one.
    [[nodiscard]] std::vector<qint64> edges(int firstColumn, std::size_t columns) const;
    void spans(int firstColumn, std::span<const qint64> indices,
               std::span<ColumnSpan> columns) const;

private:
    [[nodiscard]] double crossing(qint64 right, double pixel) const;
    [[nodiscard]] ColumnSpan extentOf(const MinMax& values) const;

    const LayerRequest& request_;
    const LayerSeries& series_;
    const ColumnView& values_;
    double height_;
    double unitsAPixel_;
};

}  // namespace lockstep::ui
