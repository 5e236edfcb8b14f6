// SPDX-License-Identifier: Apache-2.0
#include "core/data/images/resize_image.h"

#include <array>

#include "core/base/check.h"
#include "core/data/images/bilinear.h"

namespace lockstep::data {

namespace {

std::uint8_t greyOf(const std::array<std::uint64_t, 3>& c) {
    return static_cast<std::uint8_t>((299 * c[0] + 587 * c[1] + 114 * c[2] + 500) / 1000);
}

}  // namespace

void resizeImage(const RgbImage& image, int height, int width, int channels,
                 std::span<std::uint8_t> out) {
    LS_CHECK(out.size() == static_cast<std::size_t>(height) * static_cast<std::size_t>(width) *
                               static_cast<std::size_t>(channels),
             "the result has room for its pixels");
    const auto rows = placesOf(image.height, height);
    const auto columns = placesOf(image.width, width);
    const auto down = static_cast<std::uint64_t>(height) * 2;
    const auto right = static_cast<std::uint64_t>(width) * 2;
    const std::size_t stride = static_cast<std::size_t>(image.width) * 3;
    auto* place = out.data();
    for (const Between& row : rows) {
        const std::uint8_t* above = image.pixels.data() + row.before * stride;
        const std::uint8_t* below = image.pixels.data() + row.after * stride;
        for (const Between& column : columns) {
            std::array<std::uint64_t, 3> color{};
            for (std::size_t c = 0; c < 3; ++c) {
                const std::size_t left = column.before * 3 + c;
                const std::size_t next = column.after * 3 + c;
                const auto mixed = [&](const std::uint8_t* line) {
                    return line[left] * (right - column.second) + line[next] * column.second;
                };
                const std::uint64_t sum =
                    mixed(above) * (down - row.second) + mixed(below) * row.second;
                color[c] = (sum + down * right / 2) / (down * right);
            }
            if (channels == 1)
                *place++ = greyOf(color);
            else
                for (const std::uint64_t c : color)
                    *place++ = static_cast<std::uint8_t>(c);
        }
    }
}

}  // namespace lockstep::data
