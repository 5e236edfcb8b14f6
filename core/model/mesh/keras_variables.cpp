// SPDX-License-Identifier: Apache-2.0
#include "core/model/mesh/keras_variables.h"

#include <algorithm>
#include <utility>

namespace lockstep::model {

namespace {

using Words = std::vector<std::string_view>;

/// Collects the variables, node by node. The order of axes is that of Keras 3.15.
class VariableList {
public:
    explicit VariableList(const Graph& graph) : graph_(graph), isTaken_(graph.tensors.size()) {}

    std::vector<KerasVariable> collect() {
        for (const Node& node : graph_.nodes)
            add(node);
        return std::move(variables_);
    }

private:
    [[nodiscard]] const Layer& layerOf(const Node& node) const {
        return graph_.layers[static_cast<std::size_t>(node.layer)];
    }
    [[nodiscard]] const Tensor& tensor(int index) const {
        return graph_.tensors[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] const Shape& shape(const Node& node, std::size_t place) const {
        return tensor(node.tensors[place]).shape;
    }

    /// Of tensors that an earlier layer has there is no variable.
    void put(const Node& node, const std::string& name, Shape shape, Words words,
             std::vector<int> tensors) {
        if (std::ranges::any_of(tensors, [this](int one) { return isTaken(one); })) return;
        variables_.push_back({layerOf(node).name + "/" + name, std::move(shape), std::move(words),
                              std::move(tensors)});
    }
    [[nodiscard]] bool isTaken(int tensor) const {
        return isTaken_[static_cast<std::size_t>(tensor)];
    }
    void take(const Node& node) {
        for (const int tensor : node.tensors)
            isTaken_[static_cast<std::size_t>(tensor)] = true;
    }

    void addBias(const Node& node) {
        if (node.tensors.size() > 1) put(node, "bias", shape(node, 1), {"out"}, {node.tensors[1]});
    }
    void addDense(const Node& node);
    void addProjections(const Node& node, const Attention& attention);
    void addMixer(const Node& node, const Attention& attention);
    void addConvolution(const Node& node);
    void addTransposed(const Node& node);
    void addRecurrence(const Node& node, const Recurrence& operation);
    void addNormalization(const Node& node, bool hasScale, bool hasCenter, const char* factor);
    void add(const Node& node);

    const Graph& graph_;
    std::vector<bool> isTaken_;
    std::vector<KerasVariable> variables_;
};

void VariableList::addDense(const Node& node) {
    for (const Node& reader : graph_.nodes) {
        const auto* attention = std::get_if<Attention>(&reader.operation);
        if (attention != nullptr && reader.layer == node.layer &&
            &graph_.nodes[static_cast<std::size_t>(reader.inputs[0])] == &node)
            return addProjections(node, *attention);
        // Its recurrent half has the rest, and knows of both.
        if (std::holds_alternative<Recurrence>(reader.operation) && reader.layer == node.layer)
            return;
    }
    const Node& before = graph_.nodes[static_cast<std::size_t>(node.inputs[0])];
    const auto* attention = std::get_if<Attention>(&before.operation);
    if (attention != nullptr && before.layer == node.layer) return addMixer(node, *attention);
    const Shape& weight = shape(node, 0);
    put(node, "kernel", {weight[1], weight[0]}, {"in", "out"}, {node.tensors[0]});
    addBias(node);
}

void VariableList::addProjections(const Node& node, const Attention& attention) {
    const Shape& weight = shape(node, 0);
    const std::int64_t each = weight[0] / 3 / attention.heads;
    for (const char* part : {"query", "key", "value"}) {
        const std::string name = part;
        put(node, name + "/kernel", {weight[1], attention.heads, each}, {"in", "heads", ""},
            {node.tensors[0]});
        if (node.tensors.size() > 1)
            put(node, name + "/bias", {attention.heads, each}, {"heads", ""}, {node.tensors[1]});
    }
}

void VariableList::addMixer(const Node& node, const Attention& attention) {
    const Shape& weight = shape(node, 0);
    put(node, "attention_output/kernel", {attention.heads, weight[1] / attention.heads, weight[0]},
        {"heads", "", "out"}, {node.tensors[0]});
    if (node.tensors.size() > 1)
        put(node, "attention_output/bias", shape(node, 1), {"out"}, {node.tensors[1]});
}

void VariableList::addConvolution(const Node& node) {
    const Shape& weight = shape(node, 0);
    const std::string& type = layerOf(node).type;
    Shape kernel(weight.begin() + 2, weight.end());
    Words words(kernel.size());
    const bool isFirst = tensor(node.tensors[0]).name.ends_with("depthwise.weight");
    if (type == "depthwise_conv2d" || isFirst) {
        // One output behind the other of each channel: channels are cut as outputs are.
        const std::int64_t channels = std::get<Convolution>(node.operation).groups;
        kernel.insert(kernel.end(), {channels, weight[0] / channels});
        words.insert(words.end(), {"out", ""});
        put(node, isFirst ? "depthwise_kernel" : "kernel", std::move(kernel), std::move(words),
            {node.tensors[0]});
    } else {
        kernel.insert(kernel.end(), {weight[1], weight[0]});
        words.insert(words.end(), {"in", "out"});
        put(node, type == "separable_conv2d" ? "pointwise_kernel" : "kernel", std::move(kernel),
            std::move(words), {node.tensors[0]});
    }
    addBias(node);
}

void VariableList::addTransposed(const Node& node) {
    const Shape& weight = shape(node, 0);
    put(node, "kernel", {weight[2], weight[3], weight[1], weight[0]}, {"", "", "out", "in"},
        {node.tensors[0]});
    addBias(node);
}

void VariableList::addRecurrence(const Node& node, const Recurrence& operation) {
    const bool isLstm = operation.kind == Recurrence::Kind::Lstm;
    const std::string cell = isLstm ? "lstm_cell/" : "gru_cell/";
    const Node& input = graph_.nodes[static_cast<std::size_t>(node.inputs[0])];
    const Shape& kernel = shape(input, 0);
    const Shape& recurrent = shape(node, 0);
    put(node, cell + "kernel", {kernel[1], kernel[0]}, {"in", "out"}, {input.tensors[0]});
    put(node, cell + "recurrent_kernel", {recurrent[1], recurrent[0]}, {"in", "out"},
        {node.tensors[0]});
    if (node.tensors.size() > 1) {
        const std::vector<int> biases{input.tensors[1], node.tensors[1]};
        if (isLstm)
            put(node, cell + "bias", {recurrent[0]}, {"out"}, biases);
        else
            put(node, cell + "bias", {2, recurrent[0]}, {"", "out"}, biases);
    }
    take(input);
}

/// `factor`: Keras' word for the weight.
void VariableList::addNormalization(const Node& node, bool hasScale, bool hasCenter,
                                    const char* factor) {
    std::vector<const char*> names;
    if (hasScale) names.push_back(factor);
    if (hasCenter) names.push_back("beta");
    if (std::holds_alternative<BatchNormalization>(node.operation))
        names.insert(names.end(), {"moving_mean", "moving_variance"});
    for (std::size_t i = 0; i < names.size(); ++i)
        put(node, names[i], shape(node, i), {"features"}, {node.tensors[i]});
}

void VariableList::add(const Node& node) {
    const Operation& operation = node.operation;
    if (node.tensors.empty()) return;
    if (std::holds_alternative<Dense>(operation)) addDense(node);
    if (std::holds_alternative<Convolution>(operation)) addConvolution(node);
    if (std::holds_alternative<TransposedConvolution>(operation)) addTransposed(node);
    if (std::holds_alternative<Embedding>(operation))
        put(node, "embeddings", shape(node, 0), {"vocabulary", "features"}, {node.tensors[0]});
    if (std::holds_alternative<PositionEmbedding>(operation))
        put(node, "embeddings", shape(node, 0), {"", "features"}, {node.tensors[0]});
    if (const auto* one = std::get_if<Recurrence>(&operation)) addRecurrence(node, *one);
    if (const auto* one = std::get_if<BatchNormalization>(&operation))
        addNormalization(node, one->hasScale, one->hasCenter, "gamma");
    if (const auto* one = std::get_if<LayerNormalization>(&operation))
        addNormalization(node, one->hasScale, one->hasCenter,
                         one->isRootMeanSquare ? "scale" : "gamma");
    if (const auto* one = std::get_if<GroupNormalization>(&operation))
        addNormalization(node, one->hasScale, one->hasCenter, "gamma");
    // The input's half of a recurrent layer is taken with its other half.
    const bool isHalf = std::ranges::any_of(graph_.nodes, [&node](const Node& other) {
        return std::holds_alternative<Recurrence>(other.operation) && other.layer == node.layer &&
               &other != &node;
    });
    if (!isHalf) take(node);
}

}  // namespace

std::vector<KerasVariable> kerasVariables(const Graph& graph) {
    return VariableList(graph).collect();
}

}  // namespace lockstep::model
