// SPDX-License-Identifier: Apache-2.0
#include "core/base/try.h"
#include "core/model/layer_families.h"

namespace lockstep::model {

namespace {

constexpr std::size_t kImageRank = 3;

/// What the layer works on: images that come from the data are flattened first, so that a dense
/// stack trains on pictures as it stands.
Result<int> flattened(LayerBuilder& layer) {
    const Shape& shape = layer.inputShape();
    if (!layer.isOfData(layer.input()) || shape.size() != kImageRank) return layer.input();
    return layer.node(Flatten{}, {layer.input()}, {}, {elementCount(shape)});
}

}  // namespace

Result<int> buildDense(LayerBuilder& layer) {
    if (layer.inputShape().empty())
        return fail(ErrorCode::BadInput, "takes one or more features, but gets 1 number",
                    "Put reshape with target_shape = [1] before it.");
    const int input = TRY(flattened(layer));
    const std::int64_t units = TRY(layer.size("units"));
    Shape shape = layer.shapeOf(input);
    const std::int64_t features = shape.back();
    shape.back() = units;
    const Initializer begin = layer.initializer("kernel_initializer", static_cast<double>(features),
                                                static_cast<double>(units));
    std::vector<int> tensors{TRY(layer.weight({units, features}, begin))};
    if (layer.options().flag("use_bias")) tensors.push_back(TRY(layer.tensor("bias", {units}, {})));
    const std::int64_t outputs = isPossible(shape) ? elementCount(shape) : 0;
    return layer.node(Dense{}, {input}, std::move(tensors), std::move(shape),
                      saturatingProduct(outputs, features));
}

}  // namespace lockstep::model
