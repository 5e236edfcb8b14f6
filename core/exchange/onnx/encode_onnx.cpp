// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/onnx/encode_onnx.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/try.h"
#include "core/exchange/onnx/node_writer.h"

namespace lockstep::exchange {

namespace {

constexpr std::int64_t kOpset = 17;
constexpr std::int64_t kIrVersion = 8;  // of the release that brought opset 17
constexpr std::size_t kImageRank = 3;
constexpr std::size_t kMostBytes = std::numeric_limits<std::int32_t>::max();

/// Images: channels, height, width.
model::Shape shapeOutside(const model::Shape& shape) {
    return shape.size() == kImageRank ? model::Shape{shape[2], shape[0], shape[1]} : shape;
}

Channels channelsOutside(const model::Shape& shape) {
    return shape.size() == kImageRank ? Channels::First : Channels::Last;
}

bool isReadBy(const model::Node& reader, int node) {
    return std::ranges::find(reader.inputs, node) != reader.inputs.end();
}

bool isRead(const model::Graph& graph, int node) {
    return std::ranges::any_of(graph.nodes,
                               [node](const model::Node& one) { return isReadBy(one, node); });
}

/// Whether all that reads the node looks up rows by its numbers.
bool isOfWholeNumbers(const model::Graph& graph, int node) {
    return std::ranges::all_of(graph.nodes, [node](const model::Node& one) {
        return !isReadBy(one, node) || std::holds_alternative<model::Embedding>(one.operation);
    });
}

/// What goes into the network there.
void addInput(GraphWriter& writer, NodeWriter& nodes, const model::Graph& graph, int node,
              const OnnxDescription& description) {
    const model::Node& written = graph.nodes[static_cast<std::size_t>(node)];
    const auto column = std::get<model::Input>(written.operation).column;
    if (!isRead(graph, node)) return;
    const std::string name =
        column < 0 ? "data" : "data." + description.columns[static_cast<std::size_t>(column)];
    const bool isInteger = isOfWholeNumbers(graph, node);
    const bool isImage = written.shape.size() == kImageRank;
    writer.input(name, shapeOutside(written.shape), isInteger,
                 isInteger ? "whole numbers"
                 : isImage ? "images of numbers from 0 to 1: batch, channels, height, width"
                           : "numbers");
    nodes.place(node, {name, channelsOutside(written.shape)}, isInteger);
}

}  // namespace

Result<std::string> encodeOnnx(const model::Graph& graph,
                               std::span<const checkpoint::TensorRef> tensors,
                               const OnnxDescription& description) {
    onnx::ModelProto model;
    model.set_ir_version(kIrVersion);
    model.set_producer_name("Lockstep");
    model.set_producer_version(description.version);
    auto& opset = *model.add_opset_import();
    opset.set_domain("");
    opset.set_version(kOpset);
    for (const auto& [key, value] : description.metadata) {
        auto& entry = *model.add_metadata_props();
        entry.set_key(key);
        entry.set_value(value);
    }
    model.mutable_graph()->set_name(description.name);
    GraphWriter writer(*model.mutable_graph());
    for (const checkpoint::TensorRef& tensor : tensors)
        writer.tensor(tensor.name, tensor.shape, tensor.values);
    NodeWriter nodes(graph, writer);
    for (int node = 0; node < static_cast<int>(graph.nodes.size()); ++node)
        if (std::holds_alternative<model::Input>(
                graph.nodes[static_cast<std::size_t>(node)].operation))
            addInput(writer, nodes, graph, node, description);
        else
            nodes.write(node);
    const model::Shape& output = graph.output();
    const int last = static_cast<int>(graph.nodes.size()) - 1;
    writer.nodeNamed("output", "Identity", {nodes.value(last, channelsOutside(output))});
    writer.output("output", shapeOutside(output), "what the last layer gives");
    if (model.ByteSizeLong() > kMostBytes)
        return fail(ErrorCode::BadInput,
                    fmt::format("the network has {} bytes, but a file of ONNX holds at most {}",
                                model.ByteSizeLong(), kMostBytes),
                    "Export it with --format safetensors.");
    return model.SerializeAsString();
}

}  // namespace lockstep::exchange
