// SPDX-License-Identifier: Apache-2.0
#include "core/data/images/jpeg_image.h"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
// After cstdio, whose FILE they take.
#include <jerror.h>
#include <jpeglib.h>

#include "core/data/images/whole_image.h"

namespace lockstep::data {

/// The library's way out of an error is a jump, over C code alone: each method that jumps has
/// nothing to destroy.
class JpegReader {
public:
    JpegReader() {
        jpeg_.err = jpeg_std_error(&errors_);
        jpeg_.client_data = this;
        errors_.error_exit = [](j_common_ptr jpeg) { readerOf(jpeg).jumpOut(); };
        errors_.output_message = [](j_common_ptr) {};
        errors_.emit_message = [](j_common_ptr jpeg, int level) {
            // Bytes too many between parts harm nothing; every other warning is of lost pixels.
            const int what = jpeg->err->msg_code;
            if (level < 0 && what != JWRN_EXTRANEOUS_DATA && what != JWRN_ADOBE_XFORM &&
                what != JWRN_JFIF_MAJOR)
                readerOf(jpeg).jumpOut();
        };
        jpeg_create_decompress(&jpeg_);
    }
    ~JpegReader() { jpeg_destroy_decompress(&jpeg_); }
    JpegReader(const JpegReader&) = delete;
    JpegReader& operator=(const JpegReader&) = delete;

    /// Of another file; the last one's state is forgotten, and its tables: a file without tables
    /// of its own would be read by those of whatever came before it.
    [[nodiscard]] bool readHeader(std::string_view file) {
        jpeg_abort_decompress(&jpeg_);
        std::ranges::fill(jpeg_.quant_tbl_ptrs, nullptr);
        std::ranges::fill(jpeg_.dc_huff_tbl_ptrs, nullptr);
        std::ranges::fill(jpeg_.ac_huff_tbl_ptrs, nullptr);
        if (setjmp(wayOut_) != 0) return false;
        jpeg_mem_src(&jpeg_, reinterpret_cast<const unsigned char*>(file.data()), file.size());
        jpeg_read_header(&jpeg_, TRUE);
        return true;
    }
    /// Rows of `pixels`, height x width x 3. The slow transform in whole numbers has the same
    /// result on every processor.
    [[nodiscard]] bool readPixels(std::uint8_t* pixels) {
        if (setjmp(wayOut_) != 0) return false;
        jpeg_.out_color_space = JCS_RGB;
        jpeg_.dct_method = JDCT_ISLOW;
        jpeg_start_decompress(&jpeg_);
        while (jpeg_.output_scanline < jpeg_.output_height) {
            JSAMPROW row =
                pixels + std::size_t{jpeg_.output_scanline} * jpeg_.output_width * std::size_t{3};
            jpeg_read_scanlines(&jpeg_, &row, 1);
        }
        jpeg_finish_decompress(&jpeg_);
        return true;
    }

    [[nodiscard]] std::uint32_t height() const { return jpeg_.image_height; }
    [[nodiscard]] std::uint32_t width() const { return jpeg_.image_width; }
    [[nodiscard]] bool isCmyk() const {
        return jpeg_.jpeg_color_space == JCS_CMYK || jpeg_.jpeg_color_space == JCS_YCCK;
    }
    [[nodiscard]] Error error() {
        if (errors_.msg_code == JWRN_JPEG_EOF)
            return {ErrorCode::BadInput, "is a JPEG image that ends too early", {}};
        std::array<char, JMSG_LENGTH_MAX> words{};
        errors_.format_message(reinterpret_cast<j_common_ptr>(&jpeg_), words.data());
        return {ErrorCode::BadInput, std::string("is a damaged JPEG image: ") + words.data(), {}};
    }

private:
    static JpegReader& readerOf(j_common_ptr jpeg) {
        return *static_cast<JpegReader*>(jpeg->client_data);
    }
    [[noreturn]] void jumpOut() { std::longjmp(wayOut_, 1); }

    jpeg_decompress_struct jpeg_{};
    jpeg_error_mgr errors_{};
    std::jmp_buf wayOut_{};
};

namespace {

/// Forgotten tables (some 1.5 KB a file) are freed with their reader alone.
constexpr int kFilesOfAReader = 8;

}  // namespace

JpegDecoder::JpegDecoder() = default;
JpegDecoder::~JpegDecoder() = default;

Result<void> JpegDecoder::decode(std::string_view file, RgbImage& image) {
    if (reader_ == nullptr || decoded_ == kFilesOfAReader) {
        reader_ = std::make_unique<JpegReader>();
        decoded_ = 0;
    }
    ++decoded_;
    if (!reader_->readHeader(file)) return fail(reader_->error());
    if (reader_->isCmyk())
        return fail(ErrorCode::BadInput, "is a CMYK image, and only grey and RGB are read");
    return readWhole(*reader_, image);
}

}  // namespace lockstep::data
