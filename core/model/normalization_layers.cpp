// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/base/try.h"
#include "core/model/layer_families.h"

namespace lockstep::model {

namespace {

constexpr Initializer kOnes{.kind = Initializer::Kind::Ones};

Result<void> requireChannels(const LayerBuilder& layer) {
    if (!layer.inputShape().empty()) return {};
    return fail(ErrorCode::BadInput, "takes one or more channels, but gets 1 number",
                "Remove it, or put reshape with target_shape = [1] before it.");
}

/// weight and bias, each where it is wanted.
Result<std::vector<int>> scaleAndCenter(LayerBuilder& layer, bool hasCenter) {
    std::vector<int> tensors;
    if (layer.options().flag("scale"))
        tensors.push_back(TRY(layer.tensor("weight", {layer.channels()}, kOnes)));
    if (hasCenter) tensors.push_back(TRY(layer.tensor("bias", {layer.channels()}, {})));
    return tensors;
}

Result<int> buildOverFeatures(LayerBuilder& layer, bool isRootMeanSquare) {
    TRY(requireChannels(layer));
    const LayerOptions& options = layer.options();
    const bool hasCenter = !isRootMeanSquare && options.flag("center");
    std::vector<int> tensors = TRY(scaleAndCenter(layer, hasCenter));
    const LayerNormalization operation{.epsilon = static_cast<float>(options.number("epsilon")),
                                       .hasScale = options.flag("scale"),
                                       .hasCenter = hasCenter,
                                       .isRootMeanSquare = isRootMeanSquare};
    return layer.node(operation, {layer.input()}, std::move(tensors), layer.inputShape());
}

}  // namespace

Result<int> buildBatchNormalization(LayerBuilder& layer) {
    TRY(requireChannels(layer));
    const LayerOptions& options = layer.options();
    const bool hasCenter = options.flag("center");
    std::vector<int> tensors = TRY(scaleAndCenter(layer, hasCenter));
    const Shape channels{layer.channels()};
    tensors.push_back(TRY(layer.tensor("running_mean", channels, {}, Tensor::Role::Statistic)));
    tensors.push_back(TRY(layer.tensor("running_var", channels, kOnes, Tensor::Role::Statistic)));
    const BatchNormalization operation{.momentum = static_cast<float>(options.number("momentum")),
                                       .epsilon = static_cast<float>(options.number("epsilon")),
                                       .hasScale = options.flag("scale"),
                                       .hasCenter = hasCenter,
                                       .isSynchronized = options.flag("synchronized")};
    return layer.node(operation, {layer.input()}, std::move(tensors), layer.inputShape());
}

Result<int> buildLayerNormalization(LayerBuilder& layer) {
    return buildOverFeatures(layer, false);
}

Result<int> buildRmsNormalization(LayerBuilder& layer) {
    return buildOverFeatures(layer, true);
}

Result<int> buildGroupNormalization(LayerBuilder& layer) {
    TRY(requireChannels(layer));
    const LayerOptions& options = layer.options();
    const std::int64_t groups = options.integer("groups");
    if (layer.channels() % groups != 0)
        return fail(ErrorCode::BadInput,
                    fmt::format("has {} groups, which do not divide its {} channels", groups,
                                layer.channels()),
                    "Set groups to a divisor of the channels.");
    const bool hasCenter = options.flag("center");
    std::vector<int> tensors = TRY(scaleAndCenter(layer, hasCenter));
    const GroupNormalization operation{.groups = groups,
                                       .epsilon = static_cast<float>(options.number("epsilon")),
                                       .hasScale = options.flag("scale"),
                                       .hasCenter = hasCenter};
    return layer.node(operation, {layer.input()}, std::move(tensors), layer.inputShape());
}

}  // namespace lockstep::model
