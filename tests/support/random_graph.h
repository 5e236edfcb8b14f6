// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/model/graph.h"

namespace lockstep::testing {

/// A small valid graph, a function of its seed: every operation with all of its options, residuals,
/// nodes read several times, weights used twice, frozen tensors. Whole numbers below `kVocabulary`
/// go in where a graph begins with an embedding.
[[nodiscard]] model::Graph makeRandomGraph(std::uint64_t seed);
/// Its first nodes alone, with the tensors that they have: what a defect is narrowed down with.
[[nodiscard]] model::Graph firstNodesOf(const model::Graph& graph, std::size_t count);

inline constexpr std::int64_t kVocabulary = 5;

/// Whether the graph takes such whole numbers.
[[nodiscard]] bool takesWholeNumbers(const model::Graph& graph);

}  // namespace lockstep::testing
