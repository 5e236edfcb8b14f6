// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/model/graph.h"
#include "core/model/mesh/mesh_layout.h"

namespace lockstep::model {

/// The network as member `index` of a mesh's group computes it: with its parts of the tensors, and
/// with exchanges where the members' parts must come together. Its first tensors are those of the
/// whole network, in their order. Where a tensor's part allows no work of its own it is gathered
/// while it is used, so that every layout computes what one member would.
[[nodiscard]] Graph splitGraph(const Graph& whole, const MeshLayout& layout, std::int64_t index);

}  // namespace lockstep::model
