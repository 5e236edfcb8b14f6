// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/data/images/decode_image.h"

namespace lockstep::data {

/// ImageDecoder::decode() of bytes that begin as PNG.
[[nodiscard]] Result<void> decodePng(std::string_view file, RgbImage& image);

}  // namespace lockstep::data
