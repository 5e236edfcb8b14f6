// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/description/description.h"
#include "core/model/graph.h"

namespace lockstep::model {

/// A part of a network as its description nests it, repetitions of blocks one by one: what a
/// picture of the network shows.
struct Part {
    enum class Kind : std::uint8_t { Layer, Residual, Block };
    Kind kind = Kind::Layer;
    std::string name;   ///< In full: "layer1.0.conv1", "layer1.0".
    std::string type;   ///< "conv2d"; of a block its name.
    std::string place;  ///< Of its entry in the job file.
    int layer = -1;     ///< Index of Graph::layers; of a residual its sum; of a block none: -1.
    std::vector<Part> body{};      ///< Of a residual or a block.
    std::vector<Part> shortcut{};  ///< Of a residual; none: what it takes, unchanged.
};

/// The parts of the network that the description gave; all of its layers are in them.
[[nodiscard]] std::vector<Part> partsOf(const Description& description, const Graph& graph);

/// Of a part with all that is in it. Saturating, as the graph's own.
struct PartTotals {
    std::int64_t parameters = 0;
    std::int64_t flops = 0;
    std::int64_t activations = 0;  ///< Numbers.
    int layers = 0;
};
[[nodiscard]] PartTotals totalsOf(const Part& part, const Graph& graph);

/// The last layer of a part: what it gives is what the part gives. -1: it has none.
[[nodiscard]] int lastLayerOf(const Part& part);

}  // namespace lockstep::model
