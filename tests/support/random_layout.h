// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/model/mesh/mesh_layout.h"

namespace lockstep::testing {

/// A rule for some of the tensors, along one of the words that fit it, as far as sizes divide: a
/// function of the seed.
[[nodiscard]] model::MeshLayout drawLayout(const model::Graph& graph, std::int64_t members,
                                           std::uint64_t seed);

}  // namespace lockstep::testing
