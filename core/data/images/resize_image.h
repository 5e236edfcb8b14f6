// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/data/images/decode_image.h"

namespace lockstep::data {

/// Brings an image to height x width: bilinear, centres of pixels at halves, edges repeated, no
/// smoothing before it is made smaller. In whole numbers, rounded to the nearest: the same bytes
/// everywhere; an image of that size already stays as it is. `out` has height x width x channels
/// bytes; one channel is (299 red + 587 green + 114 blue) / 1000, also rounded.
void resizeImage(const RgbImage& image, int height, int width, int channels,
                 std::span<std::uint8_t> out);

}  // namespace lockstep::data
