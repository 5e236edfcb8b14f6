// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/model/graph.h"
#include "core/model/mesh/mesh_layout.h"

namespace lockstep::model {

/// A variable of a network as Keras has it. The order of its axes is Keras': a kernel is (inputs,
/// outputs), while the tensor that it is here lies as PyTorch's, [outputs, inputs].
struct KerasVariable {
    std::string path;  ///< The layer's name and Keras' word: "layers.0/kernel", "a/query/bias".
    Shape shape;
    /// Of each axis the word of a layout that cuts along it; empty: none does.
    std::vector<std::string_view> words;
    /// The tensors here that it is, or is a part of: queries, keys and values are one here, the
    /// two biases of a recurrent layer one in Keras.
    std::vector<int> tensors;
};

/// Those of all layers, in the order of their layers. A layer that uses another one's weights has
/// none of its own.
[[nodiscard]] std::vector<KerasVariable> kerasVariables(const Graph& graph);

/// What is asked of a variable: to be cut along one of its axes, or to be whole.
struct AxisCut {
    int axis = -1;  ///< -1: whole.
};

/// The rules in words that lay `variables` out as `asked` says of each of them; absent: nothing is
/// asked, it lies as its layer's work wants it. BadInput, naming the variable and its axis, for
/// what cannot be cut so, or among so many `members`. No rule is left out: what is asked is what
/// the network then has.
[[nodiscard]] Result<std::vector<LayoutRule>> rulesOfAxes(
    const Graph& graph, const std::vector<KerasVariable>& variables,
    const std::vector<std::optional<AxisCut>>& asked, std::int64_t members);

}  // namespace lockstep::model
