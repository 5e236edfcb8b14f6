// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/job/report/step_curve.h"

namespace lockstep::job {

/// A chart of a report: values over steps.
struct SvgChart {
    struct Curve {
        std::string name;
        std::vector<StepCurve::Point> points;
        bool isSparse = false;  ///< A value now and then: its points are drawn, too.
    };
    /// A moment of the run, as a line from top to bottom.
    struct Mark {
        std::int64_t step = 0;
        std::string text;
    };
    std::string title;
    std::string unit{};  ///< Behind the title; empty: none.
    std::vector<Curve> curves;
    std::vector<Mark> marks{};
};

/// As a figure of HTML that needs nothing else: its picture, its legend, and its values for the
/// script of the page (kReportScript). Between the least and the most of a curve's points lies a
/// band, so that no spike is lost. The axis is logarithmic where positive values span two powers of
/// ten. Empty for a chart without points.
[[nodiscard]] std::string svgFigure(const SvgChart& chart);

/// Round numbers from `least` to `most`, about `wanted` of them.
[[nodiscard]] std::vector<double> roundTicks(double least, double most, int wanted);

}  // namespace lockstep::job
