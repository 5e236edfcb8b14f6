// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/model/layer_families.h"

namespace lockstep::model {

namespace {

/// Padding of one dimension: {before, after}.
Extent paddingAlong(std::int64_t image, std::int64_t reach, std::int64_t stride) {
    const std::int64_t places = (image + stride - 1) / stride;
    const std::int64_t whole = std::max<std::int64_t>((places - 1) * stride + reach - image, 0);
    return {whole / 2, whole - whole / 2};
}

}  // namespace

Extent extentOf(const Shape& shape) {
    return shape.size() == 2 ? Extent{1, shape[0]} : Extent{shape[0], shape[1]};
}

Shape shapeLike(const Shape& image, Extent extent, std::int64_t channels) {
    return image.size() == 2 ? Shape{extent[1], channels} : Shape{extent[0], extent[1], channels};
}

Result<PlacedWindow> placeWindow(const LayerOptions& options, Extent image, Extent size,
                                 Extent strides, Extent dilation) {
    const bool isWord = options.value("padding").kind == config::TomlValue::Kind::String;
    const bool isSame = isWord && options.word("padding") == "same";
    const Extent given = isWord ? Extent{0, 0} : options.extent("padding", 0);
    PlacedWindow placed{.window = {.size = size, .strides = strides, .dilation = dilation},
                        .output = {1, 1}};
    for (std::size_t i = 0; i < image.size(); ++i) {
        const std::int64_t reach = (size[i] - 1) * dilation[i] + 1;
        const Extent padding =
            isSame ? paddingAlong(image[i], reach, strides[i]) : Extent{given[i], given[i]};
        const std::int64_t room = image[i] + padding[0] + padding[1] - reach;
        if (room < 0)
            return fail(
                ErrorCode::BadInput,
                fmt::format("has a window of {} x {}, which reaches beyond the {} x {} places "
                            "that it gets",
                            (size[0] - 1) * dilation[0] + 1, (size[1] - 1) * dilation[1] + 1,
                            image[0], image[1]),
                "Make the window smaller, or set padding to \"same\".");
        placed.window.before[i] = padding[0];
        placed.window.after[i] = padding[1];
        placed.output[i] = room / strides[i] + 1;
    }
    return placed;
}

}  // namespace lockstep::model
