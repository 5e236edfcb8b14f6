// SPDX-License-Identifier: GPL-3.0-or-later
// What a painter is asked for in tests: one curve, 400 by 200 pixels.
#pragma once

#include <vector>

#include "core/base/rng.h"
#include "ui/charts/paint/layer.h"

namespace lockstep::ui {

inline LayerRequest requestFor(const Column& column, AxisRange x, AxisRange y) {
    LayerRequest request;
    request.size = {400, 200};
    request.x = x;
    request.y = y;
    request.marker = Qt::red;
    request.series.push_back({0, column.view(), {}, QColor(0, 0, 255), false});
    return request;
}

inline std::vector<float> noise(qint64 count) {
    lockstep::CounterRng rng(7);
    std::vector<float> values(static_cast<std::size_t>(count));
    for (float& value : values)
        value = rng.nextFloat(0.2F, 0.8F);
    return values;
}

}  // namespace lockstep::ui
