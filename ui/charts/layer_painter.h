// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "ui/charts/layer.h"
#include "ui/charts/smoothing.h"

namespace lockstep::ui {

/// Draws the curves of a chart. Where points are sparse they are joined by smooth lines; where
/// several share a pixel column, the column shows all from the smallest to the largest, so that
/// no single value is ever lost. Runs on any one thread; `interrupted` cuts smoothing short.
[[nodiscard]] RenderedLayer paintLayer(const LayerRequest& request, Smoother& smoother,
                                       const std::function<bool()>& interrupted);

}  // namespace lockstep::ui
