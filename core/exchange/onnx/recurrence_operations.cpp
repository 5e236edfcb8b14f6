// SPDX-License-Identifier: Apache-2.0
// Recurrent layers by ONNX' own operations, which project the input themselves: that is a node of
// its own here, and is written with the one that takes it.
#include <algorithm>
#include <string>
#include <variant>
#include <vector>

#include "core/exchange/onnx/node_writer.h"

namespace lockstep::exchange {

namespace {

/// Blocks of PyTorch's order that ONNX wants one behind the other: i, o, f, g and z, r, n.
std::vector<int> orderOf(model::Recurrence::Kind kind) {
    if (kind == model::Recurrence::Kind::Lstm) return {0, 3, 1, 2};
    return {1, 0, 2};
}

}  // namespace

int NodeWriter::recurrenceOf(int node) const {
    const auto reader = std::ranges::find_if(graph_.nodes, [node](const model::Node& one) {
        return std::holds_alternative<model::Recurrence>(one.operation) &&
               one.inputs.front() == node;
    });
    return reader == graph_.nodes.end() ? -1 : static_cast<int>(reader - graph_.nodes.begin());
}

const model::Node* NodeWriter::projectionFor(int recurrence) const {
    const int input = graph_.nodes[static_cast<std::size_t>(recurrence)].inputs.front();
    const model::Node& before = graph_.nodes[static_cast<std::size_t>(input)];
    if (!std::holds_alternative<model::Dense>(before.operation)) return nullptr;
    const auto readers = std::ranges::count_if(graph_.nodes, [input](const model::Node& node) {
        return std::ranges::find(node.inputs, input) != node.inputs.end();
    });
    return readers == 1 ? &before : nullptr;
}

/// A weight or a bias with its gates in ONNX' order.
std::string NodeWriter::gatesInOrder(const std::string& value, const model::Recurrence& operation) {
    const auto count = static_cast<int>(operation.gates());
    const std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), node().shape.back());
    const auto parts = writer_.nodeOf("Split", {value, writer_.integers("split", sizes)},
                                      {{"axis", std::int64_t{0}}}, count);
    std::vector<std::string> ordered;
    for (const int part : orderOf(operation.kind))
        ordered.push_back(parts[static_cast<std::size_t>(part)]);
    return writer_.node("Concat", std::move(ordered), {{"axis", std::int64_t{0}}});
}

std::string NodeWriter::gateTensor(const std::string& value, const model::Recurrence& operation) {
    return writer_.node("Unsqueeze",
                        {gatesInOrder(value, operation), writer_.integers("axes", {0})});
}

/// That of the input, then that of the state; empty: neither is there.
std::string NodeWriter::biasesOf(const model::Node* projection,
                                 const model::Recurrence& operation) {
    const bool hasFirst = projection != nullptr && projection->tensors.size() > 1;
    if (!hasFirst && !hasTensor(1)) return {};
    const auto none = [&] { return filled("zeros", operation.gates() * node().shape.back(), 0); };
    const std::string first = hasFirst ? tensorOf(*projection, 1) : none();
    const std::string second = hasTensor(1) ? tensorName(1) : none();
    const std::string both =
        writer_.node("Concat", {gatesInOrder(first, operation), gatesInOrder(second, operation)},
                     {{"axis", std::int64_t{0}}});
    return writer_.node("Unsqueeze", {both, writer_.integers("axes", {0})});
}

/// Without a projection, what goes in are the gates: it is a matrix of ones on the diagonal.
std::string NodeWriter::inputWeight(const model::Node* projection,
                                    const model::Recurrence& operation) {
    if (projection != nullptr) return gateTensor(tensorOf(*projection, 0), operation);
    const std::int64_t width = operation.gates() * node().shape.back();
    std::vector<float> diagonal(static_cast<std::size_t>(width * width));
    for (std::int64_t i = 0; i < width; ++i)
        diagonal[static_cast<std::size_t>(i * width + i)] = 1;
    const std::int64_t square[] = {width, width};
    return gateTensor(writer_.floats("diagonal", square, diagonal), operation);
}

OnnxValue NodeWriter::operator()(const model::Recurrence& operation) {
    const model::Node* const projection = projectionFor(current_);
    const int from = projection != nullptr ? projection->inputs.front() : node().inputs.front();
    const std::vector<std::int64_t> swapped{1, 0, 2};  // positions first, or the batch
    const std::string x =
        writer_.node("Transpose", {value(from, Channels::Last)}, {{"perm", swapped}});
    std::vector<std::string> inputs{x, inputWeight(projection, operation),
                                    gateTensor(tensorName(0), operation)};
    if (std::string biases = biasesOf(projection, operation); !biases.empty())
        inputs.push_back(std::move(biases));
    std::vector<OnnxAttribute> attributes{
        {"hidden_size", node().shape.back()},
        {"direction", std::string(operation.goesBackwards ? "reverse" : "forward")}};
    const bool isLstm = operation.kind == model::Recurrence::Kind::Lstm;
    if (!isLstm) attributes.push_back({"linear_before_reset", std::int64_t{1}});
    const auto given = writer_.nodeOf(isLstm ? "LSTM" : "GRU", std::move(inputs), attributes, 2);
    if (!operation.returnsSequences)  // the last step's state: [1, batch, units]
        return {writer_.node("Squeeze", {given[1], writer_.integers("axes", {0})})};
    // [positions, 1, batch, units]
    const std::string steps = writer_.node("Squeeze", {given[0], writer_.integers("axes", {1})});
    const std::string rows = writer_.node("Transpose", {steps}, {{"perm", swapped}});
    if (!operation.goesBackwards) return {rows};
    // ONNX gives them by position, and this layer step by step.
    return {writer_.node(
        "Slice",
        {rows, writer_.integers("starts", {-1}), writer_.integers("ends", {-node().shape[0] - 1}),
         writer_.integers("axes", {1}), writer_.integers("steps", {-1})})};
}

}  // namespace lockstep::exchange
