// SPDX-License-Identifier: Apache-2.0
#include "core/model/layer_builder.h"

#include <fmt/format.h>

#include <limits>

#include "core/base/text.h"

namespace lockstep::model {

namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

bool isDrawn(Initializer::Kind kind) {
    return kind != Initializer::Kind::Zeros && kind != Initializer::Kind::Ones;
}

}  // namespace

std::int64_t saturatingProduct(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? kLargest : product;
}

std::int64_t saturatingSum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? kLargest : sum;
}

bool isPossible(const Shape& shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) {
        if (size < 1) return false;
        count = saturatingProduct(count, size);
    }
    return count <= kMostElements;
}

const Shape& LayerBuilder::shapeOf(int node) const {
    return draft_.graph.nodes[static_cast<std::size_t>(node)].shape;
}

const Operation& LayerBuilder::operationOf(int node) const {
    return draft_.graph.nodes[static_cast<std::size_t>(node)].operation;
}

bool LayerBuilder::isOfData(int node) const {
    return draft_.graph.nodes[static_cast<std::size_t>(node)].layer < 0;
}

const Column* LayerBuilder::columnOf(int node) const {
    const auto* input = std::get_if<Input>(&operationOf(node));
    return input == nullptr || input->column < 0
               ? nullptr
               : &facts_.columns[static_cast<std::size_t>(input->column)];
}

const Shape& LayerBuilder::inputShape(std::size_t index) const {
    return shapeOf(inputs_[index]);
}

Result<std::int64_t> LayerBuilder::size(std::string_view option) const {
    const config::TomlValue& value = options_.value(option);
    if (value.kind == config::TomlValue::Kind::Integer) return value.integer;
    const Column* column = columnOf(input());
    const std::int64_t known = value.text == "classes" ? facts_.classes
                               : column != nullptr     ? column->vocabulary
                                                       : facts_.vocabulary;
    if (known < 1)
        return fail(
            ErrorCode::BadInput,
            fmt::format("has {} = \"{}\", but its data has no {}", option, value.text, value.text),
            fmt::format("Write the number as {}.", option));
    return known;
}

Result<void> LayerBuilder::requireRank(std::size_t rank, std::string_view form) const {
    if (inputShape().size() == rank) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("takes {}, but gets {}", form, toString(inputShape())),
                "Remove it, or change what stands before it; reshape and flatten change shapes.");
}

Result<int> LayerBuilder::tensor(const std::string& name, Shape shape, Initializer initializer,
                                 Tensor::Role role) {
    if (!isPossible(shape))
        return fail(ErrorCode::BadInput,
                    fmt::format("needs a tensor {} of {} numbers, but at most {} are possible",
                                name, toString(shape), kMostElements),
                    "Make it smaller: its own size, or that of what it gets.");
    Tensor tensor{.name = layer().name + "." + name,
                  .shape = std::move(shape),
                  .role = role,
                  .initializer = initializer,
                  .isTrainable = options_.flag("trainable")};
    if (!draft_.tensorNames.insert(tensor.name).second)
        return fail(ErrorCode::BadInput,
                    fmt::format("has a tensor \"{}\", but so has an earlier layer", tensor.name),
                    "Choose another name for one of them.");
    tensor.initializer.stream = draft_.graph.layers.size() - 1;
    if (isDrawn(initializer.kind)) tensor.initializer.stream |= drawn_++ << 48;
    (role == Tensor::Role::Parameter ? layer().parameters : layer().statistics) += tensor.size();
    draft_.graph.tensors.push_back(std::move(tensor));
    const int index = static_cast<int>(draft_.graph.tensors.size()) - 1;
    if (name == "weight") draft_.weights[layer().name] = index;
    return index;
}

Result<int> LayerBuilder::weight(Shape shape, Initializer initializer) {
    if (!options_.has("weights_of")) return tensor("weight", std::move(shape), initializer);
    const std::string& owner = options_.word("weights_of");
    const auto found = draft_.weights.find(owner);
    if (found == draft_.weights.end())
        return fail(
            ErrorCode::BadInput,
            fmt::format("has weights_of = \"{}\", but no earlier layer with a weight has that "
                        "full name",
                        sanitizeLine(owner, 60)),
            "Write the name as the layer's tensors have it, without \".weight\".");
    const Shape& there = draft_.graph.tensors[static_cast<std::size_t>(found->second)].shape;
    if (there != shape)
        return fail(ErrorCode::BadInput,
                    fmt::format("needs a weight of {}, but that of \"{}\" is {}", toString(shape),
                                owner, toString(there)),
                    "Remove weights_of, or make the sizes of both layers equal.");
    return found->second;
}

Initializer LayerBuilder::initializer(std::string_view option, double fanIn, double fanOut) const {
    const std::string& word = options_.word(option);
    using Kind = Initializer::Kind;
    const Kind kind = word == "glorot_uniform" ? Kind::GlorotUniform
                      : word == "he_normal"    ? Kind::HeNormal
                      : word == "uniform"      ? Kind::Uniform
                      : word == "orthogonal"   ? Kind::Orthogonal
                      : word == "ones"         ? Kind::Ones
                                               : Kind::Zeros;
    return {.kind = kind, .fanIn = fanIn, .fanOut = fanOut};
}

void LayerBuilder::keep(std::int64_t numbers) {
    layer().activations = saturatingSum(layer().activations, numbers);
}

Result<int> LayerBuilder::node(Operation operation, std::vector<int> inputs,
                               std::vector<int> tensors, Shape shape, std::int64_t multiplyAdds) {
    if (!isPossible(shape))
        return fail(ErrorCode::BadInput,
                    fmt::format("gives {} numbers for each sample, but at most {} are possible",
                                toString(shape), kMostElements),
                    "Make it smaller: its own size, or that of what it gets.");
    Graph& graph = draft_.graph;
    layer().activations = saturatingSum(layer().activations, elementCount(shape));
    layer().flops = saturatingSum(layer().flops, saturatingProduct(2, multiplyAdds));
    layer().output = shape;
    graph.nodes.push_back({.operation = std::move(operation),
                           .inputs = std::move(inputs),
                           .tensors = std::move(tensors),
                           .shape = std::move(shape),
                           .layer = static_cast<int>(graph.layers.size()) - 1});
    return static_cast<int>(graph.nodes.size()) - 1;
}

}  // namespace lockstep::model
