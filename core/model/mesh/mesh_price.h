// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/model/graph.h"

namespace lockstep::model {

/// What a mesh costs and saves one of its members in a step of training. Counts are of numbers of
/// four bytes.
struct MeshPrice {
    std::int64_t parameters = 0;        ///< That this member holds.
    std::int64_t wholeParameters = 0;   ///< That the network has.
    int exchanges = 0;                  ///< How often it waits for the others of its group.
    std::int64_t sentPerSample = 0;     ///< To each of the others, as the next one.
    std::int64_t sentPerStep = 0;       ///< Whatever the batch: parts of tensors that are gathered.
    std::int64_t largestPerSample = 0;  ///< Of one exchange, as the next one.
    std::int64_t largestPerStep = 0;
};

/// Of a member's part, as splitGraph() made it.
[[nodiscard]] MeshPrice priceOf(const Graph& part);

}  // namespace lockstep::model
