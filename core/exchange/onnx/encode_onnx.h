// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/snapshot.h"
#include "core/model/graph.h"

namespace lockstep::exchange {

/// What an ONNX file says beside the network.
struct OnnxDescription {
    std::string name{};                  ///< Of the graph.
    std::string version{};               ///< Of this program.
    std::vector<std::string> columns{};  ///< Names of the data's columns.
    std::vector<std::pair<std::string, std::string>> metadata{};
};

/// A network with its weights as the bytes of an ONNX file (opset 17), as it is evaluated: with
/// running statistics, without dropout. The batch may have any size.
///
/// Inputs are called "data" and "data.COLUMN", the output "output". Images go in, and come out, as
/// [batch, channels, height, width], all else as the graph has it.
/// Inputs that only embeddings read are int64, the others float32.
///
/// `tensors`: all of the graph's, by name. BadInput for a network of more than 2 GB, which a file
/// of this format cannot hold.
[[nodiscard]] Result<std::string> encodeOnnx(const model::Graph& graph,
                                             std::span<const checkpoint::TensorRef> tensors,
                                             const OnnxDescription& description);

}  // namespace lockstep::exchange
