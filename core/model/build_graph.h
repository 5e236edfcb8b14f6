// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tl/expected.hpp>

#include "core/model/data_facts.h"
#include "core/model/description/description.h"
#include "core/model/graph.h"

namespace lockstep::model {

/// A model has at most so many layers, its blocks and repeats expanded.
inline constexpr std::size_t kMostLayers = 10'000;

/// The network that a description means for that data, every shape inferred; or the first of what
/// keeps it from being one, by its place.
///
/// Tensors are called by the names of what they stand in, joined by points: a block's use, the
/// number of its repetition where it has `repeat`, the layer. What has no name is called by its
/// place in the file: "layers.2" in the model and in blocks, "layers.2.residual.0" and
/// "layers.2.shortcut.0" in a residual; a residual with a name gives it to its unnamed layers:
/// "mixer.residual.0". `layer2.0.downsample.0.weight`, `layers.3.residual.1.bias`.
[[nodiscard]] tl::expected<Graph, Problem> buildGraph(const Description& description,
                                                      const DataFacts& facts);

}  // namespace lockstep::model
