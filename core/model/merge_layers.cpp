// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/base/try.h"
#include "core/model/layer_families.h"

namespace lockstep::model {

namespace {

tl::unexpected<Error> unequal(const LayerBuilder& layer, std::size_t index,
                              std::string_view wanted) {
    return fail(
        ErrorCode::BadInput,
        fmt::format("takes inputs of {}, but its first is {} and its {}. is {}", wanted,
                    toString(layer.inputShape()), index + 1, toString(layer.inputShape(index))),
        "Change the layers that give them.");
}

Result<void> requireEqual(const LayerBuilder& layer) {
    for (std::size_t i = 1; i < layer.inputs().size(); ++i)
        if (layer.inputShape(i) != layer.inputShape()) return unequal(layer, i, "one shape");
    return {};
}

Shape withoutLast(const Shape& shape) {
    return {shape.begin(), shape.end() - 1};
}

}  // namespace

Result<int> buildAdd(LayerBuilder& layer) {
    TRY(requireEqual(layer));
    return layer.node(Add{}, layer.inputs(), {}, layer.inputShape());
}

Result<int> buildMultiply(LayerBuilder& layer) {
    TRY(requireEqual(layer));
    return layer.node(Multiply{}, layer.inputs(), {}, layer.inputShape());
}

Result<int> buildConcatenate(LayerBuilder& layer) {
    Shape shape = layer.inputShape();
    if (shape.empty())
        return fail(ErrorCode::BadInput, "takes one or more features, but gets 1 number",
                    "Put reshape with target_shape = [1] before it.");
    for (std::size_t i = 1; i < layer.inputs().size(); ++i) {
        const Shape& other = layer.inputShape(i);
        if (other.size() != shape.size() || withoutLast(other) != withoutLast(shape))
            return unequal(layer, i, "one shape but for the last size");
        shape.back() += other.back();
    }
    return layer.node(Concatenate{}, layer.inputs(), {}, std::move(shape));
}

}  // namespace lockstep::model
