// SPDX-License-Identifier: Apache-2.0
#include "core/data/images/png_image.h"

#include <png.h>

#include <csetjmp>
#include <cstring>

#include "core/data/images/whole_image.h"

namespace lockstep::data {

namespace {

/// As with JPEG, an error is a jump over C code, out of methods that have nothing to destroy.
class PngReader {
public:
    explicit PngReader(std::string_view file) : rest_(file) {
        png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, jumpOut,
                                      [](png_structp, png_const_charp) {});
        if (png_ != nullptr) info_ = png_create_info_struct(png_);
    }
    ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
    PngReader(const PngReader&) = delete;
    PngReader& operator=(const PngReader&) = delete;

    /// Asks for 8 bits, three channels, whatever the file holds.
    [[nodiscard]] bool readHeader() {
        if (info_ == nullptr || setjmp(wayOut_) != 0) return false;
        png_set_read_fn(png_, this, readBytes);
        png_read_info(png_, info_);
        png_set_expand(png_);
        png_set_scale_16(png_);
        png_set_strip_alpha(png_);
        png_set_gray_to_rgb(png_);
        passes_ = png_set_interlace_handling(png_);
        height_ = png_get_image_height(png_, info_);
        width_ = png_get_image_width(png_, info_);
        return true;
    }
    /// Rows of `pixels`, height x width x 3.
    [[nodiscard]] bool readPixels(std::uint8_t* pixels) {
        if (setjmp(wayOut_) != 0) return false;
        png_read_update_info(png_, info_);
        if (png_get_rowbytes(png_, info_) != std::size_t{width_} * 3) return false;
        for (int pass = 0; pass < passes_; ++pass)
            for (std::size_t row = 0; row < height_; ++row)
                png_read_row(png_, pixels + row * width_ * 3, nullptr);
        png_read_end(png_, nullptr);
        return true;
    }

    [[nodiscard]] std::uint32_t height() const { return height_; }
    [[nodiscard]] std::uint32_t width() const { return width_; }
    [[nodiscard]] Error error() const {
        if (ranOut_) return {ErrorCode::BadInput, "is a PNG image that ends too early", {}};
        return {ErrorCode::BadInput, std::string("is a damaged PNG image: ") + words_, {}};
    }

private:
    static void readBytes(png_structp png, png_bytep out, png_size_t count) {
        auto& reader = *static_cast<PngReader*>(png_get_io_ptr(png));
        if (reader.rest_.size() < count) {
            reader.ranOut_ = true;
            png_error(png, "ends too early");
        }
        std::memcpy(out, reader.rest_.data(), count);
        reader.rest_.remove_prefix(count);
    }
    [[noreturn]] static void jumpOut(png_structp png, png_const_charp words) {
        auto& reader = *static_cast<PngReader*>(png_get_error_ptr(png));
        std::strncpy(reader.words_, words, sizeof(reader.words_) - 1);
        std::longjmp(reader.wayOut_, 1);
    }

    std::string_view rest_;
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    std::uint32_t height_ = 0;
    std::uint32_t width_ = 0;
    int passes_ = 1;
    bool ranOut_ = false;
    char words_[128] = "it cannot be read";
    std::jmp_buf wayOut_{};
};

}  // namespace

Result<void> decodePng(std::string_view file, RgbImage& image) {
    PngReader reader(file);
    if (!reader.readHeader()) return fail(reader.error());
    return readWhole(reader, image);
}

}  // namespace lockstep::data
