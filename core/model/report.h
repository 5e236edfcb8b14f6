// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/model/graph.h"

namespace lockstep::model {

/// The network as a table, a line a layer with its name, type, output, parameters, floating-point
/// operations and bytes of its output for one sample's forward pass, and the totals. Operations are
/// those of products (dense layers, convolutions, attention), a multiply-add as two; bytes are of
/// float32, before a plan lets layers share memory. Ends with a line break.
[[nodiscard]] std::string reportText(const Graph& graph);

}  // namespace lockstep::model
