// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/exchange/onnx/graph_writer.h"
#include "core/model/graph.h"

namespace lockstep::exchange {

/// Where the channels of a value stand. The graph has them last; ONNX' convolutions and
/// normalisations want them behind the batch. A value that has only channels is both, and called
/// Last.
enum class Channels : std::uint8_t { Last, First };

/// A value of the ONNX graph that holds a node's result.
struct OnnxValue {
    std::string name;
    Channels channels = Channels::Last;
};

/// Writes each node of a network as the operations of ONNX (opset 17) that compute it when it is
/// evaluated: with running statistics, without dropout. Values change their layout only where an
/// operation needs the other one.
class NodeWriter {
public:
    NodeWriter(const model::Graph& graph, GraphWriter& writer)
        : graph_(graph), writer_(writer), values_(graph.nodes.size()) {}

    /// What holds the result of a node, an Input, that is written elsewhere. `isInteger`: int64.
    void place(int node, OnnxValue value, bool isInteger);
    /// In the order of the graph.
    void write(int node);
    /// The result of a node that is written, with its channels there.
    [[nodiscard]] std::string value(int node, Channels channels);

    OnnxValue operator()(const model::Input& operation);
    OnnxValue operator()(const model::Dense& operation);
    OnnxValue operator()(const model::Convolution& operation);
    OnnxValue operator()(const model::Pooling& operation);
    OnnxValue operator()(const model::GlobalPooling& operation);
    OnnxValue operator()(const model::BatchNormalization& operation);
    OnnxValue operator()(const model::LayerNormalization& operation);
    OnnxValue operator()(const model::GroupNormalization& operation);
    OnnxValue operator()(const model::Dropout& operation);
    OnnxValue operator()(const model::Activation& operation);
    OnnxValue operator()(const model::Add& operation);
    OnnxValue operator()(const model::Multiply& operation);
    OnnxValue operator()(const model::Concatenate& operation);
    OnnxValue operator()(const model::Affine& operation);
    OnnxValue operator()(const model::ZeroPadding& operation);
    OnnxValue operator()(const model::Reshape& operation);
    OnnxValue operator()(const model::Flatten& operation);
    OnnxValue operator()(const model::Embedding& operation);
    OnnxValue operator()(const model::PositionEmbedding& operation);
    OnnxValue operator()(const model::Attention& operation);
    OnnxValue operator()(const model::UpSampling& operation);
    OnnxValue operator()(const model::TransposedConvolution& operation);
    OnnxValue operator()(const model::Recurrence& operation);
    OnnxValue operator()(const model::MeshExchange& operation);

private:
    [[nodiscard]] const model::Node& node() const {
        return graph_.nodes[static_cast<std::size_t>(current_)];
    }
    [[nodiscard]] const model::Shape& shapeOf(int node) const {
        return graph_.nodes[static_cast<std::size_t>(node)].shape;
    }
    [[nodiscard]] const model::Shape& inputShape() const { return shapeOf(node().inputs.front()); }
    /// The first input.
    [[nodiscard]] std::string input(Channels channels) {
        return value(node().inputs.front(), channels);
    }
    /// Where the first input has its channels now.
    [[nodiscard]] Channels channelsOfInput() const {
        return values_[static_cast<std::size_t>(node().inputs.front())].natural;
    }
    /// Of the present node, by its place in Node::tensors.
    [[nodiscard]] const std::string& tensorName(std::size_t index) const;
    [[nodiscard]] const std::string& tensorOf(const model::Node& node, std::size_t index) const {
        return graph_.tensors[static_cast<std::size_t>(node.tensors[index])].name;
    }
    [[nodiscard]] bool hasTensor(std::size_t index) const { return index < node().tensors.size(); }
    /// The `index`th tensor, a number for each channel, so shaped that it is broadcast.
    [[nodiscard]] std::string perChannel(std::size_t index, Channels channels);
    /// One number for each of `count` channels.
    [[nodiscard]] std::string filled(std::string_view what, std::int64_t count, float number);
    [[nodiscard]] std::vector<OnnxAttribute> windowAttributes(const model::Window& window) const;
    [[nodiscard]] OnnxValue together(std::string_view type);
    [[nodiscard]] std::string halfOf(const std::string& x, const std::string& factor);
    [[nodiscard]] std::string activated(const std::string& x, const model::Activation& operation,
                                        Channels channels);
    [[nodiscard]] std::string headsOf(const std::string& x, const model::Attention& operation,
                                      const std::vector<std::int64_t>& order);

    /// A recurrence that reads the node; -1: none does.
    [[nodiscard]] int recurrenceOf(int node) const;
    /// The node that projects the input of a recurrence and is read by nobody else, so that the
    /// recurrence is written with it; null: there is none.
    [[nodiscard]] const model::Node* projectionFor(int recurrence) const;
    /// As ONNX wants weights and biases: gates in its order, one direction in front.
    [[nodiscard]] std::string gateTensor(const std::string& value,
                                         const model::Recurrence& operation);
    [[nodiscard]] std::string biasesOf(const model::Node* projection,
                                       const model::Recurrence& operation);
    [[nodiscard]] std::string gatesInOrder(const std::string& value,
                                           const model::Recurrence& operation);
    [[nodiscard]] std::string inputWeight(const model::Node* projection,
                                          const model::Recurrence& operation);

    /// A node's result in the layouts that somebody has asked for; empty: not there.
    struct Placed {
        std::string last;
        std::string first;
        Channels natural = Channels::Last;
        bool isInteger = false;
    };

    const model::Graph& graph_;
    GraphWriter& writer_;
    std::vector<Placed> values_;
    int current_ = 0;
};

}  // namespace lockstep::exchange
