// SPDX-License-Identifier: Apache-2.0
#include "core/data/images/decode_image.h"

#include "core/data/images/jpeg_image.h"
#include "core/data/images/png_image.h"

namespace lockstep::data {

Result<RgbImage> decodeImage(std::string_view file) {
    if (file.empty()) return fail(ErrorCode::BadInput, "is empty");
    if (file.starts_with("\xff\xd8")) return decodeJpeg(file);
    if (file.starts_with("\x89PNG\r\n\x1a\n")) return decodePng(file);
    return fail(ErrorCode::BadInput, "is neither a JPEG nor a PNG image");
}

}  // namespace lockstep::data
