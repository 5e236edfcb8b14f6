// SPDX-License-Identifier: Apache-2.0
#include "core/data/images/decode_image.h"

#include "core/base/try.h"
#include "core/data/images/jpeg_image.h"
#include "core/data/images/png_image.h"

namespace lockstep::data {

ImageDecoder::ImageDecoder() : jpeg_(std::make_unique<JpegDecoder>()) {}
ImageDecoder::~ImageDecoder() = default;

Result<const RgbImage*> ImageDecoder::decode(std::string_view file) {
    if (file.empty()) return fail(ErrorCode::BadInput, "is empty");
    if (file.starts_with("\xff\xd8")) {
        TRY(jpeg_->decode(file, image_));
    } else if (file.starts_with("\x89PNG\r\n\x1a\n")) {
        TRY(decodePng(file, image_));
    } else {
        return fail(ErrorCode::BadInput, "is neither a JPEG nor a PNG image");
    }
    return &image_;
}

Result<RgbImage> decodeImage(std::string_view file) {
    ImageDecoder decoder;
    const RgbImage* image = TRY(decoder.decode(file));
    return *image;
}

}  // namespace lockstep::data
