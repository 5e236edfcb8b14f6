// SPDX-License-Identifier: Apache-2.0
#include "tests/support/reference_operations.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/base/check.h"

namespace lockstep::testing {

using model::Function;

ReferenceOperations::Image ReferenceOperations::imageOf(const model::Shape& shape) {
    Image image;
    if (!shape.empty()) image.channels = shape.back();
    if (shape.size() == 2) image.width = shape[0];
    if (shape.size() == 3) {
        image.height = shape[0];
        image.width = shape[1];
    }
    return image;
}

const model::Shape& ReferenceOperations::inputShape(std::size_t which) const {
    return graph.nodes[static_cast<std::size_t>(node->inputs[which])].shape;
}

const std::vector<double>& ReferenceOperations::x(std::size_t which) const {
    return values[static_cast<std::size_t>(node->inputs[which])];
}

std::vector<double>& ReferenceOperations::tensor(std::size_t which) {
    return tensors[static_cast<std::size_t>(node->tensors[which])];
}

void ReferenceOperations::noteSign(double number) {
    if (number != 0) kinkDistance = std::min(kinkDistance, std::abs(number));
    branches = (branches ^ static_cast<std::uint64_t>(number > 0)) * 1099511628211ULL;
}

double ReferenceOperations::largest(std::span<const double> numbers) {
    const auto found = std::ranges::max_element(numbers);
    for (const double number : numbers)
        if (number != *found) kinkDistance = std::min(kinkDistance, *found - number);
    branches = (branches ^ static_cast<std::uint64_t>(found - numbers.begin())) * 1099511628211ULL;
    return *found;
}

void ReferenceOperations::operator()(const model::Input& /*operation*/) {
    std::ranges::copy(samples, y.begin());
}

void ReferenceOperations::operator()(const model::Dense& /*operation*/) {
    const auto in = static_cast<std::size_t>(inputShape().back());
    const auto out = static_cast<std::size_t>(node->shape.back());
    for (std::size_t i = 0; i < y.size(); ++i) {
        const std::size_t row = i / out;
        const std::size_t unit = i % out;
        y[i] = hasTensor(1) ? tensor(1)[unit] : 0;
        for (std::size_t k = 0; k < in; ++k)
            y[i] += x()[row * in + k] * tensor(0)[unit * in + k];
    }
}

template <typename Use>
void ReferenceOperations::visitWindow(const model::Window& window, const Image& image,
                                      std::int64_t down, std::int64_t right, const Use& use) const {
    for (std::int64_t i = 0; i < window.size[0]; ++i)
        for (std::int64_t j = 0; j < window.size[1]; ++j) {
            const std::int64_t h =
                down * window.strides[0] - window.before[0] + i * window.dilation[0];
            const std::int64_t w =
                right * window.strides[1] - window.before[1] + j * window.dilation[1];
            if (h >= 0 && h < image.height && w >= 0 && w < image.width)
                use(h, w, i * window.size[1] + j);
        }
}

void ReferenceOperations::operator()(const model::Convolution& operation) {
    const Image in = imageOf(inputShape());
    const Image out = imageOf(node->shape);
    const std::int64_t each = in.channels / operation.groups;
    const std::int64_t filtersEach = out.channels / operation.groups;
    const std::int64_t size = operation.window.size[0] * operation.window.size[1];
    for (std::size_t i = 0; i < y.size(); ++i) {
        const auto index = static_cast<std::int64_t>(i);
        const std::int64_t filter = index % out.channels;
        const std::int64_t right = index / out.channels % out.width;
        const std::int64_t down = index / out.channels / out.width % out.height;
        const std::int64_t row = index / out.channels / out.places();
        y[i] = hasTensor(1) ? tensor(1)[static_cast<std::size_t>(filter)] : 0;
        visitWindow(
            operation.window, in, down, right,
            [&](std::int64_t h, std::int64_t w, std::int64_t place) {
                for (std::int64_t c = 0; c < each; ++c)
                    y[i] += x()[in.at(row, h, w, filter / filtersEach * each + c)] *
                            tensor(0)[static_cast<std::size_t>((filter * each + c) * size + place)];
            });
    }
}

/// Each number of the input, times the filters, is added to the window that it belongs to.
void ReferenceOperations::operator()(const model::TransposedConvolution& operation) {
    const Image in = imageOf(inputShape());
    const Image out = imageOf(node->shape);
    const std::int64_t size = operation.window.size[0] * operation.window.size[1];
    if (hasTensor(1))
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] = tensor(1)[i % static_cast<std::size_t>(out.channels)];
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t down = 0; down < in.height; ++down)
            for (std::int64_t right = 0; right < in.width; ++right)
                visitWindow(operation.window, out, down, right,
                            [&](std::int64_t h, std::int64_t w, std::int64_t place) {
                                for (std::int64_t c = 0; c < in.channels; ++c)
                                    for (std::int64_t f = 0; f < out.channels; ++f)
                                        y[out.at(row, h, w, f)] +=
                                            x()[in.at(row, down, right, c)] *
                                            tensor(0)[static_cast<std::size_t>(
                                                (c * out.channels + f) * size + place)];
                            });
}

void ReferenceOperations::operator()(const model::Pooling& operation) {
    const Image in = imageOf(inputShape());
    const Image out = imageOf(node->shape);
    for (std::size_t i = 0; i < y.size(); ++i) {
        const auto index = static_cast<std::int64_t>(i);
        const std::int64_t right = index / out.channels % out.width;
        const std::int64_t down = index / out.channels / out.width % out.height;
        const std::int64_t row = index / out.channels / out.places();
        std::vector<double> numbers;
        visitWindow(operation.window, in, down, right,
                    [&](std::int64_t h, std::int64_t w, std::int64_t /*place*/) {
                        numbers.push_back(x()[in.at(row, h, w, index % out.channels)]);
                    });
        y[i] =
            operation.kind == model::Pooling::Kind::Maximum
                ? largest(numbers)
                : std::reduce(numbers.begin(), numbers.end()) / static_cast<double>(numbers.size());
    }
}

void ReferenceOperations::operator()(const model::GlobalPooling& operation) {
    const Image in = imageOf(inputShape());
    const model::Extent whole{in.height, in.width};
    const model::Window window{.size = whole, .strides = whole};
    for (std::size_t i = 0; i < y.size(); ++i) {
        const auto index = static_cast<std::int64_t>(i);
        std::vector<double> numbers;
        visitWindow(window, in, 0, 0, [&](std::int64_t h, std::int64_t w, std::int64_t /*place*/) {
            numbers.push_back(x()[in.at(index / in.channels, h, w, index % in.channels)]);
        });
        y[i] =
            operation.kind == model::Pooling::Kind::Maximum
                ? largest(numbers)
                : std::reduce(numbers.begin(), numbers.end()) / static_cast<double>(numbers.size());
    }
}

void ReferenceOperations::operator()(const model::Dropout& operation) {
    if (!isTraining) {
        y = x();
        return;
    }
    const std::int64_t units = model::elementCount(node->shape);
    for (std::size_t i = 0; i < y.size(); ++i) {
        const auto index = static_cast<std::int64_t>(i);
        const std::int64_t unit =
            operation.isOfChannels ? index % node->shape.back() : index % units;
        const bool isKept =
            !keepsUnit || keepsUnit(operation.layer, operation.rate, index / units, unit);
        y[i] = isKept ? x()[i] / (1 - static_cast<double>(operation.rate)) : 0;
    }
}

double ReferenceOperations::activate(const model::Activation& operation, double number) {
    const auto slope = static_cast<double>(operation.slope);
    switch (operation.function) {
        case Function::Linear:
        case Function::Softmax:  // of many numbers, and not of one
            return number;
        case Function::Relu:
            noteSign(number);
            return std::max(number, 0.0);
        case Function::LeakyRelu:
            noteSign(number);
            return number > 0 ? number : slope * number;
        case Function::Gelu:
            return 0.5 * number * (1 + std::erf(number / std::numbers::sqrt2));
        case Function::GeluTanh:
            return 0.5 * number *
                   (1 + std::tanh(std::sqrt(2 / std::numbers::pi) *
                                  (number + 0.044715 * number * number * number)));
        case Function::Silu:
            return number / (1 + std::exp(-number));
        case Function::Sigmoid:
            return 1 / (1 + std::exp(-number));
        case Function::Tanh:
            return std::tanh(number);
        case Function::Elu:
            noteSign(number);
            return number > 0 ? number : slope * (std::exp(number) - 1);
    }
    return number;
}

void ReferenceOperations::softmax(std::span<double> numbers) const {
    const double top = *std::ranges::max_element(numbers);
    double sum = 0;
    for (double& number : numbers)
        sum += number = std::exp(number - top);
    for (double& number : numbers)
        number /= sum;
}

void ReferenceOperations::operator()(const model::Activation& operation) {
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = activate(operation, x()[i]);
    if (operation.function != Function::Softmax) return;
    const auto width = static_cast<std::size_t>(imageOf(node->shape).channels);
    for (std::size_t i = 0; i < y.size(); i += width)
        softmax(std::span(y).subspan(i, width));
}

void ReferenceOperations::operator()(const model::Add& /*operation*/) {
    for (std::size_t which = 0; which < node->inputs.size(); ++which)
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] += x(which)[i];
}

void ReferenceOperations::operator()(const model::Multiply& /*operation*/) {
    std::ranges::fill(y, 1.0);
    for (std::size_t which = 0; which < node->inputs.size(); ++which)
        for (std::size_t i = 0; i < y.size(); ++i)
            y[i] *= x(which)[i];
}

void ReferenceOperations::operator()(const model::Concatenate& /*operation*/) {
    const std::int64_t all = node->shape.back();
    const auto places = static_cast<std::int64_t>(y.size()) / all;
    std::int64_t begin = 0;
    for (std::size_t which = 0; which < node->inputs.size(); ++which) {
        const std::int64_t width = inputShape(which).back();
        for (std::int64_t i = 0; i < places * width; ++i)
            y[static_cast<std::size_t>(i / width * all + begin + i % width)] =
                x(which)[static_cast<std::size_t>(i)];
        begin += width;
    }
}

void ReferenceOperations::operator()(const model::Affine& operation) {
    const auto channels = static_cast<std::size_t>(imageOf(node->shape).channels);
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] =
            x()[i] * static_cast<double>(
                         operation.scale[operation.scale.size() == 1 ? 0 : i % channels]) +
            static_cast<double>(operation.offset[operation.offset.size() == 1 ? 0 : i % channels]);
}

void ReferenceOperations::operator()(const model::ZeroPadding& operation) {
    const Image in = imageOf(inputShape());
    const Image out = imageOf(node->shape);
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t h = 0; h < in.height; ++h)
            for (std::int64_t w = 0; w < in.width; ++w)
                for (std::int64_t c = 0; c < in.channels; ++c)
                    y[out.at(row, h + operation.before[0], w + operation.before[1], c)] =
                        x()[in.at(row, h, w, c)];
}

void ReferenceOperations::operator()(const model::Reshape& /*operation*/) {
    y = x();
}

void ReferenceOperations::operator()(const model::Flatten& /*operation*/) {
    const Image in = imageOf(inputShape());
    for (std::size_t i = 0; i < y.size(); ++i) {
        const auto index = static_cast<std::int64_t>(i);
        const std::int64_t place = index % in.places();
        const std::int64_t channel = index / in.places() % in.channels;
        y[i] = x()[in.at(index / in.places() / in.channels, place / in.width, place % in.width,
                         channel)];
    }
}

void ReferenceOperations::operator()(const model::UpSampling& operation) {
    const Image in = imageOf(inputShape());
    const Image out = imageOf(node->shape);
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t h = 0; h < out.height; ++h)
            for (std::int64_t w = 0; w < out.width; ++w)
                for (std::int64_t c = 0; c < in.channels; ++c)
                    y[out.at(row, h, w, c)] =
                        x()[in.at(row, h / operation.factor[0], w / operation.factor[1], c)];
}

/// The reference knows whole networks alone.
void ReferenceOperations::operator()(const model::MeshExchange& /*operation*/) {
    LS_CHECK(false, "a whole network has no exchanges of a mesh");
}

}  // namespace lockstep::testing
