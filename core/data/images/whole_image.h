// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/images/decode_image.h"

namespace lockstep::data {

/// All pixels of a file whose header `reader` has read; BadInput where it is too large or ends.
template <typename Reader>
[[nodiscard]] Result<RgbImage> wholeImage(Reader& reader) {
    const std::uint64_t pixels = std::uint64_t{reader.height()} * reader.width();
    if (pixels > kLargestImagePixels)
        return fail(ErrorCode::BadInput, "is larger than 2^28 pixels");
    RgbImage image{static_cast<int>(reader.height()), static_cast<int>(reader.width()), {}};
    image.pixels.resize(pixels * 3);
    if (!reader.readPixels(image.pixels.data())) return fail(reader.error());
    return image;
}

}  // namespace lockstep::data
