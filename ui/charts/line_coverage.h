// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <vector>

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
    /// Borrows the points, which go from left to right. Every point that has no neighbour, and
    /// with `dotted` every one, becomes a dot.
    struct Style {
        float halfWidth = 0.75F;
        float dotRadius = 2.5F;
        bool dotted = false;
    };
    LineCoverage(std::span<const LinePoint> points, Style style, int height);

    struct Rows {
        int first = 0;
        std::span<const float> coverage;  ///< Empty: the column is not touched.
    };
    /// Valid until the next call.
    [[nodiscard]] Rows column(int x, std::vector<float>& scratch);

private:
    struct Reach {
        int first;
        int last;
    };
    void addCapsule(LinePoint from, LinePoint to, float radius, float middle,
                    std::vector<float>& scratch);
    [[nodiscard]] Reach reachOf(LinePoint from, LinePoint to, float radius, float middle) const;

    std::span<const LinePoint> points_;
    Style style_;
    int height_;
    float margin_;
    std::size_t begin_ = 0;  ///< The first point that can still matter.
    Reach touched_{0, 0};
};

}  // namespace lockstep::ui
