// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/base/try.h"
#include "core/model/layer_families.h"

namespace lockstep::model {

namespace {

constexpr const char* kImages = "height x width x channels";
constexpr const char* kSequences = "positions x channels";

/// One convolution of a layer: what it is called and how large.
struct Part {
    std::string prefix;  ///< Of its tensors: "", "depthwise.", "pointwise."
    std::string initializer;
    std::int64_t filters = 0;
    std::int64_t groups = 1;
    bool hasBias = true;
};

Result<int> convolve(LayerBuilder& layer, int input, const PlacedWindow& placed, const Part& part) {
    const Shape& image = layer.shapeOf(input);
    const std::int64_t each = image.back() / part.groups;
    const Extent size = placed.window.size;
    Shape kernel{part.filters, each};
    if (image.size() > 2) kernel.push_back(size[0]);
    kernel.push_back(size[1]);
    const double places = static_cast<double>(size[0]) * static_cast<double>(size[1]);
    const Initializer begin =
        layer.initializer(part.initializer, places * static_cast<double>(each),
                          places * static_cast<double>(part.filters));
    std::vector<int> tensors{TRY(layer.tensor(part.prefix + "weight", kernel, begin))};
    if (part.hasBias)
        tensors.push_back(TRY(layer.tensor(part.prefix + "bias", {part.filters}, {})));
    Shape shape = shapeLike(image, placed.output, part.filters);
    const std::int64_t outputs = isPossible(shape) ? elementCount(shape) : 0;
    const std::int64_t work = saturatingProduct(outputs, elementCount(kernel) / part.filters);
    return layer.node(Convolution{placed.window, part.groups}, {input}, std::move(tensors),
                      std::move(shape), work);
}

Result<PlacedWindow> placedKernel(const LayerBuilder& layer) {
    const LayerOptions& options = layer.options();
    return placeWindow(options, extentOf(layer.inputShape()), options.extent("kernel_size"),
                       options.extent("strides"), options.extent("dilation_rate"));
}

Result<void> checkGroups(std::int64_t channels, std::int64_t filters, std::int64_t groups) {
    if (channels % groups == 0 && filters % groups == 0) return {};
    return fail(
        ErrorCode::BadInput,
        fmt::format("has {} groups, which divide not both its {} channels and its {} filters",
                    groups, channels, filters),
        "Set groups to a divisor of both.");
}

Result<int> buildConvolution(LayerBuilder& layer) {
    const LayerOptions& options = layer.options();
    const std::int64_t filters = options.integer("filters");
    const std::int64_t groups = options.integer("groups");
    TRY(checkGroups(layer.channels(), filters, groups));
    const PlacedWindow placed = TRY(placedKernel(layer));
    return convolve(layer, layer.input(), placed,
                    {.prefix = "",
                     .initializer = "kernel_initializer",
                     .filters = filters,
                     .groups = groups,
                     .hasBias = options.flag("use_bias")});
}

Result<int> convolveDepthwise(LayerBuilder& layer, const std::string& prefix, bool hasBias) {
    TRY(layer.requireRank(3, kImages));
    const std::int64_t channels = layer.channels();
    const PlacedWindow placed = TRY(placedKernel(layer));
    return convolve(
        layer, layer.input(), placed,
        {.prefix = prefix,
         .initializer = "depthwise_initializer",
         .filters = saturatingProduct(channels, layer.options().integer("depth_multiplier")),
         .groups = channels,
         .hasBias = hasBias});
}

}  // namespace

Result<int> buildConvolution2d(LayerBuilder& layer) {
    TRY(layer.requireRank(3, kImages));
    return buildConvolution(layer);
}

Result<int> buildConvolution1d(LayerBuilder& layer) {
    TRY(layer.requireRank(2, kSequences));
    return buildConvolution(layer);
}

Result<int> buildDepthwiseConvolution(LayerBuilder& layer) {
    return convolveDepthwise(layer, "", layer.options().flag("use_bias"));
}

Result<int> buildSeparableConvolution(LayerBuilder& layer) {
    const int deep = TRY(convolveDepthwise(layer, "depthwise.", false));
    const PlacedWindow point{.window = {}, .output = extentOf(layer.shapeOf(deep))};
    return convolve(layer, deep, point,
                    {.prefix = "pointwise.",
                     .initializer = "pointwise_initializer",
                     .filters = layer.options().integer("filters"),
                     .groups = 1,
                     .hasBias = layer.options().flag("use_bias")});
}

}  // namespace lockstep::model
