// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <span>
#include <vector>

#include "ui/charts/paint/curve_place.h"
#include "ui/charts/paint/ink_column.h"
#include "ui/charts/paint/line_coverage.h"

namespace lockstep::ui {

/// One curve of a picture, raw or smoothed. Borrows its series and values.
struct Curve {
    CurvePlace place;
    Ink ink;
    float halfWidth;    ///< Device pixels.
    float dotRadius;    ///< For points that stand alone.
    bool sparse;        ///< Drawn as lines from point to point, not as the extents of columns.
    bool dotted;        ///< Sparse, and every point is marked.
    bool reportsHoles;  ///< Values that are not finite count.
};

/// Where a stripe is drawn: rows of premultiplied ARGB, and for each column whether values that
/// are not finite lie in it.
struct StripeTarget {
    quint32* pixels = nullptr;
    qsizetype stride = 0;  ///< Pixels from row to row.
    QSize size;            ///< The whole picture's.
    std::span<quint8> holes;
};

/// Columns that one piece of work draws: so many fill a cache line of each row.
inline constexpr int kStripeColumns = 16;

/// Draws columns [first, first + kStripeColumns) of all curves, the first one at the back, those
/// in columns' extents behind those of lines. Stripes may be drawn by several threads at a time.
void paintStripe(std::span<const Curve> curves, int first, const StripeTarget& target);

}  // namespace lockstep::ui
