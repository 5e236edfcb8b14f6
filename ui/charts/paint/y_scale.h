// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "ui/charts/paint/axis_range.h"
#include "ui/charts/store/column_store.h"

namespace lockstep::ui {

/// What an automatic y axis has to show.
struct YScaleInput {
    struct Curve {
        ColumnView values;
        qint64 first = 0;  ///< The first value that is to be seen,
        qint64 last = 0;   ///< and the one behind them.
    };
    std::vector<Curve> curves;
    std::vector<Curve> behind;  ///< Raw curves of smoothed ones: their rare spikes do not count.
    bool logarithmic = false;
    std::optional<double> low;      ///< The axis reaches at least down to here.
    std::optional<double> ceiling;  ///< It ends here where no value lies beyond: 1 of shares.
    bool ignoreOutliers = false;    ///< Show what is usual instead of everything.
};

/// The range (decimal logarithms when logarithmic) that shows the curves with a little air,
/// from one round number to another. A rare outlier far beyond all else does not flatten the
/// rest: its line then leaves the plot at the top; that of shares at the bottom, where all series
/// have long risen from their first steps, and none fell again. With `ignoreOutliers` so does what
/// lies above nearly all values of its series; of what lies `behind` nearly all is shown.
[[nodiscard]] AxisRange automaticYRange(const YScaleInput& input);

}  // namespace lockstep::ui
