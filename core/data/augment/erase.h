// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/data/augment/draws.h"
#include "core/data/augment/image_view.h"

namespace lockstep::data {

/// The pixels that a patch of `down` of the height and `across` of the width covers, where it lies
/// at a place drawn from `draws`: those whose place is at or behind its beginning and before its
/// end, as Keras counts. May be none.
[[nodiscard]] Box drawnBox(const ImageShape& shape, double down, double across, Draws& draws);

/// The pixels of `box` become `value`.
void fillBox(const ImageShape& shape, const Box& box, std::uint8_t value, std::uint8_t* image);
/// They become noise: 255 times a normal number, within 0 to 255, for each channel of each pixel.
void fillWithNoise(const ImageShape& shape, const Box& box, Draws& draws, std::uint8_t* image);

/// `image` gets the pixels of `other` in `box`.
void paste(const ImageView& other, const Box& box, std::uint8_t* image);
/// `image` becomes `share` of itself, in 1/65536, and for the rest of `other`.
void blend(const ImageView& other, std::uint32_t share, std::uint8_t* image);

}  // namespace lockstep::data
