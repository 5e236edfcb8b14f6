// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/images/decode_image.h"

namespace lockstep::data {

/// decodeImage() of bytes that begin as PNG.
[[nodiscard]] Result<RgbImage> decodePng(std::string_view file);

}  // namespace lockstep::data
