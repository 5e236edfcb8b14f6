// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

#include "ui/charts/paint/ink_column.h"

namespace lockstep::ui {

/// A corner of a line in device pixels, y downwards. A y that is not finite interrupts the line.
struct LinePoint {
    float x = 0;
    float y = 0;
};

/// How much of each pixel of a column a line covers: smooth edges, round joins and ends, and
/// where its parts meet nothing is covered twice. Columns are asked for from left to right.
class LineCoverage {
public:
    /// Every point that has no neighbour, and with `dotted` every one, becomes a dot.
    struct Style {
        float halfWidth = 0.75F;
        float dotRadius = 2.5F;
        bool dotted = false;
    };
    /// The points go from left to right.
    LineCoverage(std::span<const LinePoint> points, Style style, int height);

    struct Rows {
        int first = 0;
        std::span<const float> coverage;  ///< Empty: the column is not touched.
    };
    /// What is said of rows that are hidden is not true. Valid until the next call.
    [[nodiscard]] Rows column(int x, RowRange hidden, std::vector<float>& scratch);

private:
    /// A part of the line, or a dot.
    struct Capsule {
        LinePoint from;
        LinePoint to;
        float radius;
        float length;
        float alongX;  ///< The direction from `from` to `to`; its length is 1.
        float alongY;
        float slope;  ///< Rows a column; 0 where that is without end.
    };
    static Capsule capsule(LinePoint from, LinePoint to, float radius);
    [[nodiscard]] RowRange reachOf(const Capsule& capsule, float middle) const;
    void add(const Capsule& capsule, RowRange rows, float middle, std::vector<float>& scratch);

    int height_;
    float margin_ = 0;  ///< How far from a column ink can still reach it.
    std::vector<Capsule> capsules_;
    std::size_t begin_ = 0;  ///< The first capsule that can still matter.
    RowRange touched_;
};

}  // namespace lockstep::ui
