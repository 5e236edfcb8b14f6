// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace lockstep::ui {

/// What the x axis of a chart counts: steps, epochs, the time for which the run has run, or the
/// time of day.
enum class XAxis { Step, Epoch, Relative, Wall };

/// A part of an axis as it is drawn: in its units, or their decimal logarithms on a log scale.
struct AxisRange {
    double first = 0;
    double last = 0;
    bool operator==(const AxisRange&) const = default;
};

}  // namespace lockstep::ui
