// SPDX-License-Identifier: Apache-2.0
#include "tests/support/graph_sketch.h"

#include <algorithm>

namespace lockstep::testing {

using model::Extent;
using model::Shape;
using model::Window;

namespace {

/// Height and width; sequences have a height of one.
Extent extentOf(const Shape& shape) {
    return shape.size() == 2 ? Extent{1, shape[0]} : Extent{shape[0], shape[1]};
}

/// An image or a sequence, as `like` is one.
Shape shapeLike(const Shape& like, Extent extent, std::int64_t channels) {
    return like.size() == 2 ? Shape{extent[1], channels} : Shape{extent[0], extent[1], channels};
}

Extent outputOf(const Shape& image, const Window& window) {
    const Extent extent = extentOf(image);
    Extent output{};
    for (std::size_t i = 0; i < output.size(); ++i)
        output[i] = (extent[i] + window.before[i] + window.after[i] -
                     (window.size[i] - 1) * window.dilation[i] - 1) /
                        window.strides[i] +
                    1;
    return output;
}

Shape withLast(Shape shape, std::int64_t last) {
    shape.back() = last;
    return shape;
}

}  // namespace

Window paddedWindow(Extent size, Extent strides, std::int64_t padding) {
    return {.size = size,
            .strides = strides,
            .before = {padding, padding},
            .after = {padding, padding}};
}

Window sameWindow(const Shape& image, Extent size, Extent strides, Extent dilation) {
    Window window{.size = size, .strides = strides, .dilation = dilation};
    const Extent extent = extentOf(image);
    for (std::size_t i = 0; i < extent.size(); ++i) {
        const std::int64_t places = (extent[i] + strides[i] - 1) / strides[i];
        const std::int64_t padding = std::max<std::int64_t>(
            (places - 1) * strides[i] + (size[i] - 1) * dilation[i] + 1 - extent[i], 0);
        window.before[i] = padding / 2;
        window.after[i] = padding - padding / 2;
    }
    return window;
}

int GraphSketch::input(Shape shape) {
    graph_.input = shape;
    graph_.nodes.push_back(
        {.operation = model::Input{}, .inputs = {}, .tensors = {}, .shape = std::move(shape)});
    return 0;
}

int GraphSketch::node(model::Operation operation, std::vector<int> inputs, Shape shape,
                      std::vector<int> tensors) {
    const auto layer = static_cast<int>(graph_.layers.size());
    model::Layer& added = graph_.layers.emplace_back();
    added.name = "layers." + std::to_string(layer);
    added.output = shape;
    graph_.nodes.push_back({.operation = std::move(operation),
                            .inputs = std::move(inputs),
                            .tensors = std::move(tensors),
                            .shape = std::move(shape),
                            .layer = layer});
    return static_cast<int>(graph_.nodes.size()) - 1;
}

int GraphSketch::tensor(const std::string& name, Shape shape, model::Tensor::Role role) {
    model::Tensor& added = graph_.tensors.emplace_back();
    added.name = "layers." + std::to_string(graph_.layers.size()) + "." + name;
    added.shape = std::move(shape);
    added.role = role;
    return static_cast<int>(graph_.tensors.size()) - 1;
}

int GraphSketch::dense(int input, std::int64_t units, bool hasBias) {
    std::vector<int> tensors{tensor("weight", {units, shapeOf(input).back()})};
    if (hasBias) tensors.push_back(tensor("bias", {units}));
    return node(model::Dense{}, {input}, withLast(shapeOf(input), units), tensors);
}

int GraphSketch::convolution(int input, std::int64_t filters, const Window& window,
                             std::int64_t groups, bool hasBias) {
    const Shape& image = shapeOf(input);
    Shape kernel{filters, image.back() / groups};
    if (image.size() > 2) kernel.push_back(window.size[0]);
    kernel.push_back(window.size[1]);
    Shape shape = shapeLike(image, outputOf(image, window), filters);
    std::vector<int> tensors{tensor("weight", kernel)};
    if (hasBias) tensors.push_back(tensor("bias", {filters}));
    return node(model::Convolution{window, groups}, {input}, std::move(shape), tensors);
}

int GraphSketch::pooling(int input, model::Pooling::Kind kind, const Window& window) {
    const Shape& image = shapeOf(input);
    return node(model::Pooling{kind, window}, {input},
                shapeLike(image, outputOf(image, window), image.back()));
}

int GraphSketch::globalPooling(int input, model::Pooling::Kind kind) {
    return node(model::GlobalPooling{kind}, {input}, {shapeOf(input).back()});
}

std::vector<int> GraphSketch::scaleAndCenter(std::int64_t channels, bool hasScale, bool hasCenter) {
    std::vector<int> tensors;
    if (hasScale) tensors.push_back(tensor("weight", {channels}));
    if (hasCenter) tensors.push_back(tensor("bias", {channels}));
    return tensors;
}

int GraphSketch::normalization(int input, const model::BatchNormalization& operation) {
    const Shape shape = shapeOf(input);
    auto tensors = scaleAndCenter(shape.back(), operation.hasScale, operation.hasCenter);
    for (const char* name : {"running_mean", "running_var"})
        tensors.push_back(tensor(name, {shape.back()}, model::Tensor::Role::Statistic));
    return node(operation, {input}, shape, tensors);
}

int GraphSketch::normalization(int input, const model::LayerNormalization& operation) {
    const Shape shape = shapeOf(input);
    return node(operation, {input}, shape,
                scaleAndCenter(shape.back(), operation.hasScale, operation.hasCenter));
}

int GraphSketch::normalization(int input, const model::GroupNormalization& operation) {
    const Shape shape = shapeOf(input);
    return node(operation, {input}, shape,
                scaleAndCenter(shape.back(), operation.hasScale, operation.hasCenter));
}

int GraphSketch::activation(int input, model::Function function, float slope) {
    const model::Node& before = graph_.nodes[static_cast<std::size_t>(input)];
    if (before.layer < 0) return node(model::Activation{function, slope}, {input}, shapeOf(input));
    graph_.nodes.push_back({.operation = model::Activation{function, slope},
                            .inputs = {input},
                            .tensors = {},
                            .shape = before.shape,
                            .layer = before.layer});
    return static_cast<int>(graph_.nodes.size()) - 1;
}

int GraphSketch::together(model::Operation operation, std::vector<int> inputs) {
    Shape shape = shapeOf(inputs.front());
    return node(std::move(operation), std::move(inputs), std::move(shape));
}

int GraphSketch::concatenate(std::vector<int> inputs) {
    std::int64_t width = 0;
    for (const int input : inputs)
        width += shapeOf(input).back();
    Shape shape = withLast(shapeOf(inputs.front()), width);
    return node(model::Concatenate{}, std::move(inputs), std::move(shape));
}

int GraphSketch::dropout(int input, float rate, bool isOfChannels) {
    return node(model::Dropout{rate, dropouts_++, isOfChannels}, {input}, shapeOf(input));
}

int GraphSketch::flatten(int input) {
    return node(model::Flatten{}, {input}, {model::elementCount(shapeOf(input))});
}

int GraphSketch::padding(int input, const model::ZeroPadding& operation) {
    const Extent image = extentOf(shapeOf(input));
    const Extent padded{image[0] + operation.before[0] + operation.after[0],
                        image[1] + operation.before[1] + operation.after[1]};
    return node(operation, {input}, shapeLike(shapeOf(input), padded, shapeOf(input).back()));
}

int GraphSketch::upSampling(int input, Extent factor) {
    const Extent image = extentOf(shapeOf(input));
    return node(model::UpSampling{factor}, {input},
                shapeLike(shapeOf(input), {image[0] * factor[0], image[1] * factor[1]},
                          shapeOf(input).back()));
}

int GraphSketch::embedding(int input, std::int64_t vocabulary, std::int64_t width) {
    Shape shape = shapeOf(input);
    shape.push_back(width);
    const int weight = tensor("weight", {vocabulary, width});
    return node(model::Embedding{}, {input}, std::move(shape), {weight});
}

int GraphSketch::positionEmbedding(int input, std::int64_t unused) {
    const Shape shape = shapeOf(input);
    const int weight = tensor("weight", {shape[0] + unused, shape[1]});
    return node(model::PositionEmbedding{}, {input}, shape, {weight});
}

int GraphSketch::transposed(int input, std::int64_t filters, const Window& window, Extent more,
                            bool hasBias) {
    const Shape& image = shapeOf(input);
    Extent output{};
    for (std::size_t i = 0; i < output.size(); ++i)
        output[i] = (image[i] - 1) * window.strides[i] + (window.size[i] - 1) * window.dilation[i] +
                    1 + more[i] - window.before[i] - window.after[i];
    std::vector<int> tensors{tensor("weight", {image[2], filters, window.size[0], window.size[1]})};
    if (hasBias) tensors.push_back(tensor("bias", {filters}));
    return node(model::TransposedConvolution{window}, {input}, {output[0], output[1], filters},
                std::move(tensors));
}

int GraphSketch::recurrence(int input, const model::Recurrence& operation, bool hasBias) {
    Shape shape = withLast(shapeOf(input), shapeOf(input).back() / operation.gates());
    const std::int64_t units = shape.back();
    const std::int64_t width = units * operation.gates();
    std::vector<int> tensors{tensor("weight_hh_l0", {width, units})};
    if (hasBias) tensors.push_back(tensor("bias_hh_l0", {width}));
    if (!operation.returnsSequences) shape.erase(shape.begin());
    return node(operation, {input}, std::move(shape), std::move(tensors));
}

int GraphSketch::attention(int input, model::Attention operation) {
    operation.layer = dropouts_++;
    Shape shape = withLast(shapeOf(input), shapeOf(input).back() / 3);
    return node(operation, {input}, std::move(shape));
}

}  // namespace lockstep::testing
