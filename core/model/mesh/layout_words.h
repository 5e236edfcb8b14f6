// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/graph.h"

namespace lockstep::model {

/// What a word means for one tensor.
struct Cut {
    int axis = -1;  ///< -1: the tensor has no such dimension, and stays whole.
    std::int64_t segments = 1;
    /// What must be divided among the members: heads are fewer than the numbers that they have.
    std::int64_t units = 1;
    std::string_view unit;  ///< "output", "head": of messages.
};

/// Nothing: the word does not fit the tensor.
[[nodiscard]] std::optional<Cut> cutOf(const Graph& graph, int tensor, std::string_view word);
/// The words that fit it.
[[nodiscard]] std::vector<std::string> wordsOf(const Graph& graph, int tensor);

}  // namespace lockstep::model
