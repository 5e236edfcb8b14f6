// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/try.h"
#include "core/model/layer_families.h"

namespace lockstep::model {

namespace {

/// Along one dimension.
struct Spread {
    std::int64_t places = 1;  ///< Of the input.
    std::int64_t reach = 1;   ///< Of the window.
    std::int64_t stride = 1;
    std::int64_t output = 1;
    std::int64_t before = 0;  ///< What is cut off in front.

    /// What is cut off behind; negative: so much lies beyond all windows.
    [[nodiscard]] std::int64_t after() const {
        return (places - 1) * stride + reach - output - before;
    }
};

/// As Keras has it, https://keras.io/api/layers/convolution_layers/convolution2d_transpose, which
/// is TensorFlow's gradient of a convolution.
void spreadByWord(Spread& spread, bool isSame, std::optional<std::int64_t> more) {
    if (!isSame) {
        spread.output = (spread.places - 1) * spread.stride + spread.reach +
                        more.value_or(std::max(spread.stride - spread.reach, INT64_C(0)));
        return;
    }
    const std::int64_t odd = spread.reach % 2;
    spread.output =
        more ? (spread.places - 1) * spread.stride + odd + *more : spread.places * spread.stride;
    const std::int64_t padding =
        more ? spread.reach + odd - 2 + *more : spread.stride + spread.reach - 2;
    const std::int64_t left = std::min(padding / 2 + padding % 2, spread.reach - 1);
    spread.before = spread.reach - 1 - left;
}

/// As torch.nn.ConvTranspose2d has it.
void spreadByNumber(Spread& spread, std::int64_t padding, std::int64_t more) {
    spread.output = (spread.places - 1) * spread.stride - 2 * padding + spread.reach + more;
    spread.before = padding;
}

Result<PlacedWindow> placedSpread(const LayerBuilder& layer) {
    const LayerOptions& options = layer.options();
    const Extent image = extentOf(layer.inputShape());
    PlacedWindow placed{.window = {.size = options.extent("kernel_size"),
                                   .strides = options.extent("strides"),
                                   .dilation = options.extent("dilation_rate")},
                        .output = {1, 1}};
    Window& window = placed.window;
    const bool isWord = options.value("padding").kind == config::TomlValue::Kind::String;
    const Extent padding = isWord ? Extent{0, 0} : options.extent("padding");
    for (std::size_t i = 0; i < image.size(); ++i) {
        Spread spread{.places = image[i],
                      .reach = (window.size[i] - 1) * window.dilation[i] + 1,
                      .stride = window.strides[i]};
        std::optional<std::int64_t> more;
        if (options.has("output_padding")) more = options.extent("output_padding")[i];
        if (more && *more >= spread.stride)
            return fail(
                ErrorCode::BadInput,
                fmt::format("has an output_padding of {}, but strides of {}", *more, spread.stride),
                "Set output_padding below strides, or leave it out.");
        if (isWord)
            spreadByWord(spread, options.word("padding") == "same", more);
        else
            spreadByNumber(spread, padding[i], more.value_or(0));
        if (spread.output < 1)
            return fail(ErrorCode::BadInput,
                        fmt::format("gives nothing of the {} x {} places that it gets: its "
                                    "padding cuts all of them off",
                                    image[0], image[1]),
                        "Make padding smaller.");
        window.before[i] = spread.before;
        window.after[i] = std::max(spread.after(), INT64_C(0));
        placed.output[i] = spread.output;
    }
    return placed;
}

}  // namespace

Result<int> buildTransposedConvolution(LayerBuilder& layer) {
    TRY(layer.requireRank(3, "height x width x channels"));
    const std::int64_t filters = layer.options().integer("filters");
    const std::int64_t channels = layer.channels();
    const PlacedWindow placed = TRY(placedSpread(layer));
    const Extent size = placed.window.size;
    const double places = static_cast<double>(size[0]) * static_cast<double>(size[1]);
    // Keras counts what a filter gives as what goes in.
    const Initializer begin =
        layer.initializer("kernel_initializer", places * static_cast<double>(filters),
                          places * static_cast<double>(channels));
    const Shape kernel{channels, filters, size[0], size[1]};
    std::vector<int> tensors{TRY(layer.tensor("weight", kernel, begin))};
    if (layer.options().flag("use_bias"))
        tensors.push_back(TRY(layer.tensor("bias", {filters}, {})));
    const std::int64_t work =
        saturatingProduct(elementCount(layer.inputShape()), elementCount(kernel) / channels);
    return layer.node(TransposedConvolution{placed.window}, {layer.input()}, std::move(tensors),
                      shapeLike(layer.inputShape(), placed.output, filters), work);
}

}  // namespace lockstep::model
