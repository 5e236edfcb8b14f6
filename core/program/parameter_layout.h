// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "core/model/graph.h"

namespace lockstep::program {

/// Tensors begin at multiples of this many floats (a cache line). The gaps between them are zero
/// in parameters, gradients and moments, and stay zero under every optimiser.
inline constexpr std::size_t kTensorAlignment = 16;

/// Where a graph's tensors lie: parameters in one flat buffer, in the order of the graph, and
/// statistics in another. Offsets and sizes in floats.
struct ParameterLayout {
    std::vector<std::size_t> offsets;  ///< Of each tensor, in the buffer of its role.
    std::size_t parameters = 0;        ///< Length of the parameters' buffer, gaps included.
    std::size_t statistics = 0;

    [[nodiscard]] static ParameterLayout of(const model::Graph& graph);
};

}  // namespace lockstep::program
