// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/paint/curve_order.h"

#include <algorithm>
#include <cmath>

namespace lockstep::ui {

namespace {

constexpr double kLine = 1.5;  // widths in device independent pixels
constexpr double kMeanLine = 2.25;
constexpr double kDotRadius = 2.5;
constexpr double kMeanDotRadius = 3;
constexpr double kDotSpacing = 12;  // points farther apart than this are drawn as dots as well
constexpr double kFaint = 0.34;     // ink of all raw curves behind the smoothed ones
constexpr int kLeastAlpha = 12;
constexpr int kBand = 165;      // alpha of a raw curve among others
constexpr int kMeanBand = 110;  // alpha of a raw mean that is dense

/// The alpha of each of `curves` that together cover what is behind them by `ink`: eight replicas
/// are then no darker than two.
int alphaOfEach(double ink, std::size_t curves) {
    const double each = 1 - std::pow(1 - ink, 1 / double(std::max<std::size_t>(1, curves)));
    return std::max(kLeastAlpha, int(std::lround(255 * each)));
}

/// From the back to the front: replicas, of many the usual ones first, means, single points.
int rankOf(const LayerSeries& series) {
    return series.exact ? 3 : series.mean ? 2 : series.quiet ? 0 : 1;
}

}  // namespace

std::vector<StyledCurve> orderedCurves(const LayerRequest& request,
                                       const std::vector<ColumnView>& smoothed, QSize pixels) {
    std::vector<StyledCurve> curves;
    const bool crowded = request.series.size() > 1;
    const auto add = [&](const LayerSeries& series, const ColumnView& values, int alpha) {
        const CurvePlace place(request, series, values, pixels);
        const qint64 points = place.indexAt(pixels.width()) - place.indexAt(0);
        const bool sparse = points <= pixels.width() / 2;
        const bool dotted =
            sparse &&
            (series.exact || double(points + 2) * kDotSpacing * request.ratio <= pixels.width());
        const bool raw = &values == &series.values;
        // A band of many steps would hide the replicas behind it: let them through.
        if (series.mean && raw && crowded && !sparse) alpha = kMeanBand;
        QColor colour = series.colour;
        colour.setAlpha(alpha);
        const bool strong = series.mean || series.exact;
        curves.push_back({series, place, colour, strong ? kMeanLine : kLine,
                          strong ? kMeanDotRadius : kDotRadius, sparse, dotted, raw});
    };
    if (!smoothed.empty()) {
        const int faint = alphaOfEach(kFaint, request.series.size());
        for (const LayerSeries& series : request.series) {
            // The raw mean behind the raw replicas would only be dirt.
            if (!(series.mean && crowded) && !series.exact) add(series, series.values, faint);
        }
    }
    for (const int rank : {0, 1, 2, 3}) {
        for (std::size_t i = 0; i < request.series.size(); ++i) {
            const LayerSeries& series = request.series[i];
            if (rankOf(series) != rank) continue;
            if (series.quiet && !smoothed.empty()) continue;  // it is there, and is not smoothed
            const int alpha = crowded && rank <= 1 && smoothed.empty() ? kBand : 255;
            const bool raw = smoothed.empty() || series.exact;
            add(series, raw ? series.values : smoothed[i], alpha);
        }
    }
    return curves;
}

}  // namespace lockstep::ui
