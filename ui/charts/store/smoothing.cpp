// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/store/smoothing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace lockstep::ui {

ColumnView Smoother::smooth(int series, const ColumnView& source, double weight,
                            const std::function<bool()>& interrupted) {
    constexpr qint64 kPiece = 65'536;
    Curve& curve = curves_[series];
    const bool stale = curve.weight != weight || curve.generation != source.generation() ||
                       curve.values.size() > source.size();
    if (stale) {
        curve = {};
        curve.weight = weight;
        curve.generation = source.generation();
    }
    std::vector<float> piece;
    while (curve.values.size() < source.size()) {
        const qint64 first = curve.values.size();
        const qint64 last = std::min(source.size(), first + kPiece);
        piece.clear();
        for (qint64 i = first; i < last; ++i) {
            const double value = double(source.at(i));
            if (!std::isfinite(value)) {
                piece.push_back(std::numeric_limits<float>::quiet_NaN());
                continue;
            }
            curve.last = curve.last * weight + (1 - weight) * value;
            curve.remainder *= weight;
            piece.push_back(float(curve.last / (1 - curve.remainder)));
        }
        curve.values.append(first, piece);
        if (interrupted()) break;
    }
    return curve.values.view().atStepsOf(source);
}

}  // namespace lockstep::ui
