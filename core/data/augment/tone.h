// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/data/augment/image_view.h"

namespace lockstep::data {

/// Each pixel x + 255 * delta, within 0 to 255, rounded to the nearest.
void brighten(const ImageView& image, double delta, std::uint8_t* out);

/// Each pixel (x - mean) * factor + mean of its channel's mean over the image, within 0 to 255,
/// rounded to the nearest.
void changeContrast(const ImageView& image, double factor, std::uint8_t* out);

}  // namespace lockstep::data
