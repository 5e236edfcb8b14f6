// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/model/graph.h"
#include "tests/support/program_counts.h"

namespace lockstep::testing {

/// The random network of a seed on the first GPU, trained and evaluated, against the reference in
/// float64: what is wrong, empty: nothing is. Every second one may use so little memory that its
/// batch is cut. What it has is counted.
[[nodiscard]] std::string playOnGpu(std::uint64_t seed, ProgramCounts& counts);
/// The same of a given network, with a sample.
[[nodiscard]] std::string playOnGpu(const model::Graph& graph);
/// The same of the network as the members of a mesh's row share it, in a random layout, all of them
/// on the first GPU and with the host between them.
[[nodiscard]] std::string playMeshOnGpu(std::uint64_t seed);
/// The same of the fewest of a seed's nodes that already go wrong, which it lists.
[[nodiscard]] std::string narrowDownOnGpu(std::uint64_t seed);

}  // namespace lockstep::testing
