// SPDX-License-Identifier: Apache-2.0
#include "core/data/images/decode_image.h"

#include "core/base/try.h"
#include "core/data/images/jpeg_image.h"
#include "core/data/images/png_image.h"

namespace lockstep::data {

namespace {

/// Of an image's bytes, from one file to the next: larger ones are rare.
constexpr std::size_t kMostKept = std::size_t{16} << 20;

}  // namespace

ImageDecoder::ImageDecoder() : jpeg_(std::make_unique<JpegDecoder>()) {}
ImageDecoder::~ImageDecoder() = default;

Result<void> ImageDecoder::decodeInto(std::string_view file) {
    if (file.empty()) return fail(ErrorCode::BadInput, "is empty");
    if (file.starts_with("\xff\xd8")) return jpeg_->decode(file, image_);
    if (file.starts_with("\x89PNG\r\n\x1a\n")) return decodePng(file, image_);
    return fail(ErrorCode::BadInput, "is neither a JPEG nor a PNG image");
}

Result<const RgbImage*> ImageDecoder::decode(std::string_view file) {
    if (image_.pixels.size() > kMostKept) image_ = {};
    if (auto decoded = decodeInto(file); !decoded) {
        if (image_.pixels.size() > kMostKept) image_ = {};
        return fail(std::move(decoded).error());
    }
    return &image_;
}

Result<RgbImage> decodeImage(std::string_view file) {
    ImageDecoder decoder;
    const RgbImage* image = TRY(decoder.decode(file));
    return *image;
}

}  // namespace lockstep::data
