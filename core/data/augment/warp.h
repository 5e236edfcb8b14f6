// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "core/config/job/augmentation_spec.h"
#include "core/data/augment/image_view.h"

namespace lockstep::data {

/// Where each pixel (x, y) of a result lies in its source: at (a0 x + a1 y + a2, b0 x + b1 y + b2),
/// in the order a0, a1, a2, b0, b1, b2, as Keras' affine_transform. In 2^-32 of a pixel: in whole
/// numbers every processor finds the same places.
struct AffineMap {
    std::array<std::int64_t, 6> parts{};
};

/// Counter-clockwise about the centre, by `turns` of a full turn.
[[nodiscard]] AffineMap rotation(const ImageShape& shape, double turns);
/// About the centre; a result's pixels lie so many of the source's apart: above 1 zooms out.
[[nodiscard]] AffineMap zoom(const ImageShape& shape, double down, double across);
/// By `down` of the height and `across` of the width.
[[nodiscard]] AffineMap translation(const ImageShape& shape, double down, double across);

/// What lies where the image was moved away from. `value`: of FillMode::Constant.
struct Fill {
    config::FillMode mode = config::FillMode::Reflect;
    std::uint8_t value = 0;
};

/// The image seen through `map`, bilinear, rounded to the nearest. `out` has its shape.
void warp(const ImageView& image, const AffineMap& map, const Fill& fill, std::uint8_t* out);

}  // namespace lockstep::data
