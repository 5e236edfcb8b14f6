// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/model/layer_families.h"

namespace lockstep::model {

namespace {

constexpr double kLeastDeviation = 1e-7;  ///< Keras' epsilon.

Activation activationOf(const LayerOptions& options) {
    static const std::map<std::string_view, Function> kFunctions{
        {"linear", Function::Linear},
        {"relu", Function::Relu},
        {"leaky_relu", Function::LeakyRelu},
        {"gelu", Function::Gelu},
        {"gelu_tanh", Function::GeluTanh},
        {"silu", Function::Silu},
        {"sigmoid", Function::Sigmoid},
        {"tanh", Function::Tanh},
        {"elu", Function::Elu},
        {"softmax", Function::Softmax}};
    const auto found = kFunctions.find(options.word("activation"));
    LS_CHECK(found != kFunctions.end(), "every word of the layer table has a function");
    Activation activation{.function = found->second};
    if (activation.function == Function::LeakyRelu)
        activation.slope = static_cast<float>(options.number("negative_slope"));
    if (activation.function == Function::Elu)
        activation.slope = static_cast<float>(options.number("alpha"));
    return activation;
}

/// One value for all channels, or one for each.
Result<void> checkCount(const LayerBuilder& layer, std::string_view option, std::size_t count) {
    const Shape& shape = layer.inputShape();
    const std::int64_t channels = shape.empty() ? 1 : shape.back();
    if (count == 1 || static_cast<std::int64_t>(count) == channels) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("has {} values of {}, but gets {} channels", count, option, channels),
                fmt::format("Give one {} for all channels, or one for each.", option));
}

/// scale and offset, each made as long as the longer one.
Result<int> affine(LayerBuilder& layer, const std::vector<double>& scale,
                   const std::vector<double>& offset) {
    Affine operation;
    const std::size_t count = std::max(scale.size(), offset.size());
    for (std::size_t i = 0; i < count; ++i) {
        operation.scale.push_back(static_cast<float>(scale[scale.size() == 1 ? 0 : i]));
        operation.offset.push_back(static_cast<float>(offset[offset.size() == 1 ? 0 : i]));
    }
    return layer.node(std::move(operation), {layer.input()}, {}, layer.inputShape());
}

}  // namespace

Result<int> buildActivation(LayerBuilder& layer) {
    return layer.node(activationOf(layer.options()), {layer.input()}, {}, layer.inputShape());
}

Result<int> addActivation(LayerBuilder& layer, int node) {
    const Activation activation = activationOf(layer.options());
    if (activation.function == Function::Linear) return node;
    return layer.node(activation, {node}, {}, layer.shapeOf(node));
}

Result<int> buildDropout(LayerBuilder& layer) {
    const auto rate = static_cast<float>(layer.options().number("rate"));
    return layer.node(Dropout{rate, layer.nextDropout()}, {layer.input()}, {}, layer.inputShape());
}

Result<int> buildRescaling(LayerBuilder& layer) {
    const std::vector<double> scale = layer.options().numbers("scale");
    const std::vector<double> offset = layer.options().numbers("offset");
    TRY(checkCount(layer, "scale", scale.size()));
    TRY(checkCount(layer, "offset", offset.size()));
    return affine(layer, scale, offset);
}

Result<int> buildNormalization(LayerBuilder& layer) {
    const std::vector<double> mean = layer.options().numbers("mean");
    const std::vector<double> variance = layer.options().numbers("variance");
    TRY(checkCount(layer, "mean", mean.size()));
    TRY(checkCount(layer, "variance", variance.size()));
    std::vector<double> scale;
    for (const double one : variance)
        scale.push_back(1 / std::max(std::sqrt(one), kLeastDeviation));
    std::vector<double> offset;
    for (std::size_t i = 0; i < std::max(mean.size(), scale.size()); ++i)
        offset.push_back(-mean[mean.size() == 1 ? 0 : i] * scale[scale.size() == 1 ? 0 : i]);
    return affine(layer, scale, offset);
}

}  // namespace lockstep::model
