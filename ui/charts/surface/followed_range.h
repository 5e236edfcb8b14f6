// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/paint/axis_range.h"

namespace lockstep::ui {

/// The part of an axis that following shows: all there is, with a little air. It grows by leaps; in
/// between a chart draws only what came.
class FollowedRange {
public:
    static constexpr double kAir = 0.012;  // so that the dot of the newest value is not cut in half
    static constexpr double kLeap = 0.04;  // so far ahead: each leap draws everything anew
    static constexpr double kLeastAir = 0.004;  // with less left, the range leaps

    /// It shows `whenEmpty` of an axis where nothing is, later `least` of it or more, and what
    /// begins at `nearZero` or before from 0 on.
    FollowedRange(double whenEmpty, double least, double nearZero);

    void clear();
    /// All there is now.
    void show(double first, double last);
    [[nodiscard]] AxisRange range() const { return range_; }

private:
    double whenEmpty_;
    double least_;
    double nearZero_;
    bool isEmpty_ = true;
    double first_ = 0;
    AxisRange range_;
};

}  // namespace lockstep::ui
