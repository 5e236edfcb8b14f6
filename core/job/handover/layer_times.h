// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/base/result.h"
#include "core/model/graph.h"

namespace lockstep::job {

/// What a step takes, layer by layer.
struct LayerTimes {
    std::vector<double> milliseconds{};  ///< Forward and backward, of each of Graph::layers.
    int samples = 0;                     ///< Of the step.
};

/// Runs a few training steps of a network on this machine's processor, on drawn numbers: what
/// `lockstep-worker --print-program --time` measures. Takes as long as four steps take: not for a
/// thread that must not wait. Unavailable when there is not as much memory.
[[nodiscard]] Result<LayerTimes> timeLayers(const model::Graph& graph, int samples);

}  // namespace lockstep::job
