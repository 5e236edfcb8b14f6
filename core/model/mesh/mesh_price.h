// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

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
    std::vector<std::int64_t> sumsPerSample{};  ///< Of sentPerSample, each of what is added.
};

/// How a group over a network adds numbers: by pieces, of which each member adds one and hands the
/// sum to all, or, where all that they have is little or they are two, each from what all have
/// sent.
[[nodiscard]] bool addsByPieces(std::int64_t members, std::int64_t numbers);
/// What a member saves of sending all it has to all others where sums go by pieces.
[[nodiscard]] std::int64_t savedByPieces(std::int64_t members, std::int64_t numbers);

/// Of a member's part, as splitGraph() made it.
[[nodiscard]] MeshPrice priceOf(const Graph& part);

}  // namespace lockstep::model
