// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/model/graph.h"

namespace lockstep::model {

/// Where a network that answers at every position of its sample lets a position see later ones: the
/// index of the first node on the way to the output that does so, of the output itself where none
/// does it alone. Nothing: every position's answer follows from it and those before it. Exact in
/// which places reach which; batch normalisation, whose sums of a whole batch say next to nothing
/// of one place, does not count. The output is [positions, …], as many as the sample has.
[[nodiscard]] std::optional<int> firstLookAhead(const Graph& graph);

}  // namespace lockstep::model
