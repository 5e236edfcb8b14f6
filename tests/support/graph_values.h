// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/model/graph.h"
#include "core/program/parameter_layout.h"
#include "tests/support/reference_network.h"

namespace lockstep::testing {

/// Flat buffers of a graph.
struct GraphValues {
    std::vector<float> parameters;
    std::vector<float> statistics;
};

/// Numbers that keep what a graph computes near one: kernels by their fan, scales around one,
/// variances above zero. Gaps are zero.
[[nodiscard]] GraphValues drawValues(const model::Graph& graph, std::uint64_t seed);
/// Between -1.5 and 1.5; whole numbers where the graph takes these.
[[nodiscard]] std::vector<float> drawSamples(const model::Graph& graph, std::int64_t rows,
                                             std::uint64_t seed);
/// Between -1 and 1.
[[nodiscard]] std::vector<float> drawNumbers(std::size_t count, std::uint64_t seed,
                                             std::uint64_t stream);

/// The same numbers tensor by tensor, in float64.
[[nodiscard]] TensorValues exactly(const model::Graph& graph, const GraphValues& values);
[[nodiscard]] std::vector<double> exactly(const model::Graph& graph, std::size_t tensor,
                                          const std::vector<float>& flat);

}  // namespace lockstep::testing
