// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep::data {

/// An image of three channels as its file holds it: 8 bits each, red, green, blue beside each
/// other.
struct RgbImage {
    int height = 0;
    int width = 0;
    std::vector<std::uint8_t> pixels;  ///< height x width x 3, row-major.
};

/// Larger images are not decoded.
inline constexpr std::uint64_t kLargestImagePixels = std::uint64_t{1} << 28;

class JpegDecoder;

/// Decodes one file after the other, in memory that it keeps; what one holds changes nothing of the
/// next. For one thread.
class ImageDecoder {
public:
    ImageDecoder();
    ~ImageDecoder();
    ImageDecoder(const ImageDecoder&) = delete;
    ImageDecoder& operator=(const ImageDecoder&) = delete;

    /// The image of a JPEG or PNG file, told by content, until the next call. Grey images get three
    /// equal channels, palettes their colours, 16 bits are rounded to 8, transparency is left out;
    /// gamma, colour profiles and the EXIF orientation change nothing. BadInput, as what goes on
    /// after a file's name ("is empty", "ends too early", "is a CMYK image"), for anything that is
    /// not whole.
    [[nodiscard]] Result<const RgbImage*> decode(std::string_view file);

private:
    [[nodiscard]] Result<void> decodeInto(std::string_view file);

    std::unique_ptr<JpegDecoder> jpeg_;
    RgbImage image_;
};

/// ImageDecoder::decode() of a single file.
[[nodiscard]] Result<RgbImage> decodeImage(std::string_view file);

}  // namespace lockstep::data
