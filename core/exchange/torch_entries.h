// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/graph.h"

namespace lockstep::exchange {

/// An entry of the state_dict of PyTorch's modules that is no tensor of the network's own.
struct TorchEntry {
    enum class Kind : std::uint8_t {
        Shared,      ///< The weight of a layer that has another one's: equal to it.
        Constant,    ///< A normalisation's scale or center that is left out here: 1 or 0.
        BatchCount,  ///< num_batches_tracked of a batch normalisation: one whole number.
    };
    Kind kind = Kind::Shared;
    std::string name;
    model::Shape shape;
    int tensor = -1;   ///< Shared: index of Graph::tensors.
    float number = 0;  ///< Constant.
};

/// What such modules have beside the tensors of the graph, so that load_state_dict(strict=True)
/// finds all it asks for: PyTorch has no batch normalisation with a bias alone, and keeps a shared
/// weight under both names.
[[nodiscard]] std::vector<TorchEntry> torchEntries(const model::Graph& graph);

}  // namespace lockstep::exchange
