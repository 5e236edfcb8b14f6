// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/base/try.h"
#include "core/model/layer_families.h"

namespace lockstep::model {

namespace {

constexpr const char* kImages = "height x width x channels";

/// The sizes with what is left in the place of -1; 0 there where nothing fits.
Shape completed(Shape sizes, std::int64_t count) {
    std::int64_t known = 1;
    for (const std::int64_t size : sizes)
        if (size > 0) known = saturatingProduct(known, size);
    std::ranges::replace(sizes, std::int64_t{-1}, count % known == 0 ? count / known : 0);
    return sizes;
}

/// Padding of a frame: a number, [height, width], or [[above, below], [left, right]].
ZeroPadding frameOf(const LayerOptions& options) {
    const config::TomlValue& value = options.value("padding");
    const bool isFull = value.kind == config::TomlValue::Kind::Array &&
                        value.elements.front().kind == config::TomlValue::Kind::Array;
    if (!isFull) return {.before = options.extent("padding"), .after = options.extent("padding")};
    const auto& rows = value.elements.front().elements;
    const auto& columns = value.elements.back().elements;
    return {.before = {rows[0].integer, columns[0].integer},
            .after = {rows[1].integer, columns[1].integer}};
}

}  // namespace

Result<int> buildFlatten(LayerBuilder& layer) {
    return layer.node(Flatten{}, {layer.input()}, {}, {elementCount(layer.inputShape())});
}

Result<int> buildReshape(LayerBuilder& layer) {
    const std::int64_t count = elementCount(layer.inputShape());
    const Shape asked = layer.options().integers("target_shape");
    Shape shape = completed(asked, count);
    if (!isPossible(shape) || elementCount(shape) != count)
        return fail(ErrorCode::BadInput,
                    fmt::format("gives {} by its target_shape, but gets {}: {} numbers",
                                toString(asked), toString(layer.inputShape()), count),
                    "Choose sizes with that product, or -1 for one of them.");
    return layer.node(Reshape{}, {layer.input()}, {}, std::move(shape));
}

Result<int> buildZeroPadding(LayerBuilder& layer) {
    TRY(layer.requireRank(3, kImages));
    const ZeroPadding frame = frameOf(layer.options());
    const Extent image = extentOf(layer.inputShape());
    const Extent padded{image[0] + frame.before[0] + frame.after[0],
                        image[1] + frame.before[1] + frame.after[1]};
    return layer.node(frame, {layer.input()}, {},
                      shapeLike(layer.inputShape(), padded, layer.channels()));
}

Result<int> buildUpSampling(LayerBuilder& layer) {
    TRY(layer.requireRank(3, kImages));
    const Extent factor = layer.options().extent("size");
    const Extent image = extentOf(layer.inputShape());
    const Extent larger{image[0] * factor[0], image[1] * factor[1]};
    return layer.node(UpSampling{factor}, {layer.input()}, {},
                      shapeLike(layer.inputShape(), larger, layer.channels()));
}

}  // namespace lockstep::model
