// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/images/decode_image.h"

namespace lockstep::data {

/// All pixels of a file whose header `reader` has read, in the memory that `image` has; BadInput
/// where it is too large or ends.
template <typename Reader>
[[nodiscard]] Result<void> readWhole(Reader& reader, RgbImage& image) {
    const std::uint64_t pixels = std::uint64_t{reader.height()} * reader.width();
    if (pixels > kLargestImagePixels)
        return fail(ErrorCode::BadInput, "is larger than 2^28 pixels");
    image.height = static_cast<int>(reader.height());
    image.width = static_cast<int>(reader.width());
    image.pixels.resize(pixels * 3);
    if (!reader.readPixels(image.pixels.data())) return fail(reader.error());
    return {};
}

}  // namespace lockstep::data
