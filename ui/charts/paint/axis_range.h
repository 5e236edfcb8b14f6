// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lockstep::ui {

/// What the x axis of a chart counts.
enum class XAxis { Step, Time };

/// A part of an axis, in its units.
struct AxisRange {
    double first = 0;
    double last = 0;
    bool operator==(const AxisRange&) const = default;
};

}  // namespace lockstep::ui
