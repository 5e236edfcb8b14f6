// SPDX-License-Identifier: Apache-2.0
// Images as files hold them, encoded by the libraries that read them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
// After cstdio, whose FILE it takes.
#include <jpeglib.h>
#include <png.h>

namespace lockstep::tests {

using Pixels = std::vector<std::uint8_t>;

/// `format` of libpng: PNG_FORMAT_RGB, PNG_FORMAT_GRAY, PNG_FORMAT_LINEAR_RGB (16 bits), …
template <typename Sample>
std::string pngOf(int height, int width, const std::vector<Sample>& pixels,
                  std::uint32_t format = PNG_FORMAT_RGB) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.height = static_cast<std::uint32_t>(height);
    image.width = static_cast<std::uint32_t>(width);
    image.format = format;
    png_alloc_size_t bytes = 0;
    png_image_write_to_memory(&image, nullptr, &bytes, 0, pixels.data(), 0, nullptr);
    std::string file(bytes, '\0');
    png_image_write_to_memory(&image, file.data(), &bytes, 0, pixels.data(), 0, nullptr);
    file.resize(bytes);
    return file;
}

/// In the best quality all colours have all pixels, below it a quarter of them, as most programs
/// write it. `space` has as many channels as `pixels`; `exif` is a block APP1.
inline std::string jpegOf(int height, int width, const Pixels& pixels,
                          J_COLOR_SPACE space = JCS_RGB, const std::string& exif = {},
                          int quality = 100) {
    jpeg_compress_struct jpeg{};
    jpeg_error_mgr errors{};
    jpeg.err = jpeg_std_error(&errors);
    jpeg_create_compress(&jpeg);
    unsigned char* memory = nullptr;
    unsigned long bytes = 0;
    jpeg_mem_dest(&jpeg, &memory, &bytes);
    jpeg.image_height = static_cast<JDIMENSION>(height);
    jpeg.image_width = static_cast<JDIMENSION>(width);
    jpeg.input_components = space == JCS_GRAYSCALE ? 1 : space == JCS_CMYK ? 4 : 3;
    jpeg.in_color_space = space;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    if (quality == 100) jpeg.comp_info[0].h_samp_factor = jpeg.comp_info[0].v_samp_factor = 1;
    jpeg_start_compress(&jpeg, TRUE);
    if (!exif.empty())
        jpeg_write_marker(&jpeg, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(exif.data()),
                          static_cast<unsigned>(exif.size()));
    const auto stride =
        static_cast<std::size_t>(width) * static_cast<std::size_t>(jpeg.input_components);
    while (jpeg.next_scanline < jpeg.image_height) {
        auto* row = const_cast<std::uint8_t*>(pixels.data() + jpeg.next_scanline * stride);
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    std::string file(reinterpret_cast<const char*>(memory), bytes);
    jpeg_destroy_compress(&jpeg);
    std::free(memory);
    return file;
}

/// Every pixel of one colour.
inline Pixels plainPixels(int height, int width, std::uint8_t red, std::uint8_t green,
                          std::uint8_t blue) {
    Pixels pixels;
    for (int i = 0; i < height * width; ++i)
        pixels.insert(pixels.end(), {red, green, blue});
    return pixels;
}

}  // namespace lockstep::tests
