// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/data/augment/image_view.h"

namespace lockstep::data {

/// `box` of the image; it may reach over its edges, where black is.
void crop(const ImageView& image, const Box& box, std::uint8_t* out);

/// `box` of the image, which lies within it, brought to `to`'s height and width: bilinear, without
/// smoothing, in whole numbers, rounded to the nearest, as images are resized when they are loaded.
void resizeBox(const ImageView& image, const Box& box, const ImageShape& to, std::uint8_t* out);

/// Left becomes right.
void flipAcross(const ImageView& image, std::uint8_t* out);
/// Top becomes bottom.
void flipDown(const ImageView& image, std::uint8_t* out);

}  // namespace lockstep::data
