// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/config/job/augmentation_spec.h"
#include "core/data/augment/draws.h"
#include "core/data/augment/image_view.h"

namespace lockstep::data {

/// Makes one random change of an image, with which nothing else is mixed. False: it stays as it is,
/// and `out`, which has room for the shape `to`, is left alone. `draws` null: it is not to happen,
/// but the shape changes all the same, from the image's middle.
[[nodiscard]] bool changeImage(const config::AugmentationSpec& change, const ImageView& image,
                               const ImageShape& to, Draws* draws, std::uint8_t* out);

}  // namespace lockstep::data
