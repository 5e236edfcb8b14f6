// SPDX-License-Identifier: Apache-2.0
#include "core/exchange/onnx/node_writer.h"

#include <variant>

#include "core/base/check.h"

namespace lockstep::exchange {

namespace {

/// Of a value with the batch in front: channels from the end to behind the batch, or back.
std::vector<std::int64_t> moved(std::size_t rank, Channels to) {
    std::vector<std::int64_t> order{0};
    const auto sizes = static_cast<std::int64_t>(rank);
    if (to == Channels::First) {
        order.push_back(sizes);
        for (std::int64_t i = 1; i < sizes; ++i)
            order.push_back(i);
    } else {
        for (std::int64_t i = 2; i <= sizes; ++i)
            order.push_back(i);
        order.push_back(1);
    }
    return order;
}

}  // namespace

void NodeWriter::place(int node, OnnxValue value, bool isInteger) {
    Placed& placed = values_[static_cast<std::size_t>(node)];
    (value.channels == Channels::First ? placed.first : placed.last) = std::move(value.name);
    placed.natural = value.channels;
    placed.isInteger = isInteger;
}

void NodeWriter::write(int node) {
    current_ = node;
    const model::Node& written = this->node();
    if (written.layer >= 0)
        writer_.enter(graph_.layers[static_cast<std::size_t>(written.layer)].name);
    OnnxValue value = std::visit(*this, written.operation);
    if (written.shape.size() < 2) value.channels = Channels::Last;
    place(node, std::move(value), false);
}

std::string NodeWriter::value(int node, Channels channels) {
    Placed& placed = values_[static_cast<std::size_t>(node)];
    const std::size_t rank = shapeOf(node).size();
    if (rank < 2) return placed.last;
    std::string& wanted = channels == Channels::First ? placed.first : placed.last;
    if (wanted.empty())
        wanted =
            writer_.node("Transpose", {channels == Channels::First ? placed.last : placed.first},
                         {{"perm", moved(rank, channels)}});
    return wanted;
}

const std::string& NodeWriter::tensorName(std::size_t index) const {
    LS_CHECK(hasTensor(index), "an operation's tensors are there");
    return graph_.tensors[static_cast<std::size_t>(node().tensors[index])].name;
}

std::string NodeWriter::perChannel(std::size_t index, Channels channels) {
    const std::string& name = tensorName(index);
    const std::size_t rank = node().shape.size();
    if (channels == Channels::Last || rank < 2) return name;
    std::vector<std::int64_t> shape(rank, 1);
    shape.front() = node().shape.back();
    return writer_.node("Reshape", {name, writer_.integers("shape", shape)});
}

std::string NodeWriter::filled(std::string_view what, std::int64_t count, float number) {
    const std::vector<float> values(static_cast<std::size_t>(count), number);
    return writer_.floats(what, std::span(&count, 1), values);
}

OnnxValue NodeWriter::operator()(const model::Input& /*operation*/) {
    LS_CHECK(false, "inputs are placed, not written");
    return {};
}

OnnxValue NodeWriter::operator()(const model::Dense& /*operation*/) {
    if (const int reader = recurrenceOf(current_); reader >= 0 && projectionFor(reader) == &node())
        return {};  // written with the recurrence
    const std::string x = input(Channels::Last);
    if (inputShape().size() == 1) {
        std::vector<std::string> inputs{x, tensorName(0)};
        if (hasTensor(1)) inputs.push_back(tensorName(1));
        return {writer_.node("Gemm", std::move(inputs), {{"transB", std::int64_t{1}}})};
    }
    const std::string turned =
        writer_.node("Transpose", {tensorName(0)}, {{"perm", std::vector<std::int64_t>{1, 0}}});
    const std::string product = writer_.node("MatMul", {x, turned});
    if (!hasTensor(1)) return {product};
    return {writer_.node("Add", {product, tensorName(1)})};
}

OnnxValue NodeWriter::operator()(const model::Dropout& /*operation*/) {
    const Channels channels = channelsOfInput();
    return {input(channels), channels};
}

OnnxValue NodeWriter::together(std::string_view type) {
    const Channels channels = channelsOfInput();
    std::string sum = input(channels);
    for (std::size_t i = 1; i < node().inputs.size(); ++i)
        sum = writer_.node(type, {sum, value(node().inputs[i], channels)});
    return {sum, channels};
}

OnnxValue NodeWriter::operator()(const model::Add& /*operation*/) {
    return together("Add");
}

OnnxValue NodeWriter::operator()(const model::Multiply& /*operation*/) {
    return together("Mul");
}

OnnxValue NodeWriter::operator()(const model::Concatenate& /*operation*/) {
    const Channels channels = channelsOfInput();
    std::vector<std::string> inputs;
    for (const int one : node().inputs)
        inputs.push_back(value(one, channels));
    const std::int64_t axis = channels == Channels::First ? 1 : -1;
    return {writer_.node("Concat", std::move(inputs), {{"axis", axis}}), channels};
}

OnnxValue NodeWriter::operator()(const model::Affine& operation) {
    const Channels channels = channelsOfInput();
    std::vector<std::int64_t> shape{static_cast<std::int64_t>(operation.scale.size())};
    if (shape.front() == 1) shape.clear();  // one number for all
    if (!shape.empty() && channels == Channels::First) shape.resize(node().shape.size(), 1);
    const std::string scaled =
        writer_.node("Mul", {input(channels), writer_.floats("scale", shape, operation.scale)});
    return {writer_.node("Add", {scaled, writer_.floats("offset", shape, operation.offset)}),
            channels};
}

OnnxValue NodeWriter::operator()(const model::Reshape& /*operation*/) {
    std::vector<std::int64_t> shape{0};  // the batch as it is
    shape.insert(shape.end(), node().shape.begin(), node().shape.end());
    return {writer_.node("Reshape", {input(Channels::Last), writer_.integers("shape", shape)})};
}

OnnxValue NodeWriter::operator()(const model::Flatten& /*operation*/) {
    return {writer_.node("Flatten", {input(Channels::First)}, {{"axis", std::int64_t{1}}})};
}

OnnxValue NodeWriter::operator()(const model::Embedding& /*operation*/) {
    std::string rows = input(Channels::Last);
    const auto from = static_cast<std::size_t>(node().inputs.front());
    if (!values_[from].isInteger)
        rows = writer_.node("Cast", {rows}, {{"to", std::int64_t{onnx::TensorProto::INT64}}});
    return {writer_.node("Gather", {tensorName(0), rows})};
}

OnnxValue NodeWriter::operator()(const model::PositionEmbedding& /*operation*/) {
    const std::int64_t positions = node().shape[0];
    const auto table = static_cast<std::size_t>(node().tensors.front());
    std::string rows = tensorName(0);
    if (graph_.tensors[table].shape[0] > positions)
        rows = writer_.node(
            "Slice", {rows, writer_.integers("starts", {0}), writer_.integers("ends", {positions}),
                      writer_.integers("axes", {0})});
    return {writer_.node("Add", {input(Channels::Last), rows})};
}

/// What is written is a whole network, never a mesh's part of one.
OnnxValue NodeWriter::operator()(const model::MeshExchange& /*operation*/) {
    LS_CHECK(false, "a whole network has no exchanges of a mesh");
    return {};
}

}  // namespace lockstep::exchange
