// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/base/try.h"
#include "core/model/layer_families.h"

namespace lockstep::model {

namespace {

using Kind = Pooling::Kind;

Result<void> requireImages(const LayerBuilder& layer, int dimensions) {
    return dimensions == 1 ? layer.requireRank(2, "positions x channels")
                           : layer.requireRank(3, "height x width x channels");
}

/// A window that stands on padding alone has no largest number and no mean.
Result<void> checkPadding(const Window& window) {
    for (std::size_t i = 0; i < window.size.size(); ++i)
        if (std::max(window.before[i], window.after[i]) >= window.size[i])
            return fail(ErrorCode::BadInput,
                        fmt::format("has a padding of {}, in which its window of {} has room",
                                    std::max(window.before[i], window.after[i]), window.size[i]),
                        "Set padding below pool_size.");
    return {};
}

Result<int> buildPooling(LayerBuilder& layer, int dimensions, Kind kind) {
    TRY(requireImages(layer, dimensions));
    const LayerOptions& options = layer.options();
    const Extent size = options.extent("pool_size");
    const Extent strides = options.has("strides") ? options.extent("strides") : size;
    const Shape& image = layer.inputShape();
    const PlacedWindow placed =
        TRY(placeWindow(options, extentOf(image), size, strides, Extent{1, 1}));
    TRY(checkPadding(placed.window));
    return layer.node(Pooling{kind, placed.window}, {layer.input()}, {},
                      shapeLike(image, placed.output, image.back()));
}

Result<int> buildGlobalPooling(LayerBuilder& layer, int dimensions, Kind kind) {
    TRY(requireImages(layer, dimensions));
    return layer.node(GlobalPooling{kind}, {layer.input()}, {}, {layer.channels()});
}

}  // namespace

Result<int> buildMaxPooling2d(LayerBuilder& layer) {
    return buildPooling(layer, 2, Kind::Maximum);
}

Result<int> buildMaxPooling1d(LayerBuilder& layer) {
    return buildPooling(layer, 1, Kind::Maximum);
}

Result<int> buildAveragePooling2d(LayerBuilder& layer) {
    return buildPooling(layer, 2, Kind::Average);
}

Result<int> buildAveragePooling1d(LayerBuilder& layer) {
    return buildPooling(layer, 1, Kind::Average);
}

Result<int> buildGlobalMaxPooling2d(LayerBuilder& layer) {
    return buildGlobalPooling(layer, 2, Kind::Maximum);
}

Result<int> buildGlobalMaxPooling1d(LayerBuilder& layer) {
    return buildGlobalPooling(layer, 1, Kind::Maximum);
}

Result<int> buildGlobalAveragePooling2d(LayerBuilder& layer) {
    return buildGlobalPooling(layer, 2, Kind::Average);
}

Result<int> buildGlobalAveragePooling1d(LayerBuilder& layer) {
    return buildGlobalPooling(layer, 1, Kind::Average);
}

}  // namespace lockstep::model
