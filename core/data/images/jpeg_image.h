// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/images/decode_image.h"

namespace lockstep::data {

/// decodeImage() of bytes that begin as JPEG.
[[nodiscard]] Result<RgbImage> decodeJpeg(std::string_view file);

}  // namespace lockstep::data
