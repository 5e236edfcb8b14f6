// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/data/images/decode_image.h"

namespace lockstep::data {

class JpegReader;

/// libjpeg's decoder, kept between files: making one costs a small image a tenth of its time.
class JpegDecoder {
public:
    JpegDecoder();
    ~JpegDecoder();
    JpegDecoder(const JpegDecoder&) = delete;
    JpegDecoder& operator=(const JpegDecoder&) = delete;

    /// ImageDecoder::decode() of bytes that begin as JPEG.
    [[nodiscard]] Result<void> decode(std::string_view file, RgbImage& image);

private:
    std::unique_ptr<JpegReader> reader_;
    int decoded_ = 0;  ///< Files, by this reader.
};

}  // namespace lockstep::data
