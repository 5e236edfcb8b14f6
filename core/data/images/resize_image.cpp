// SPDX-License-Identifier: Apache-2.0
#include "core/data/images/resize_image.h"

#include <algorithm>
#include <array>
#include <vector>

#include "core/base/check.h"

namespace lockstep::data {

namespace {

/// Where a pixel of the result lies between two of the source: `second` of `whole` parts of the
/// later one, the rest of the earlier one.
struct Between {
    std::size_t before = 0;
    std::size_t after = 0;
    std::uint64_t second = 0;
};

/// Place `i` of `to` lies at (i + 1/2) * from / to - 1/2 of `from`: of 2 * to parts each.
std::vector<Between> placesOf(int from, int to) {
    std::vector<Between> places;
    const std::int64_t whole = std::int64_t{2} * to;
    for (std::int64_t i = 0; i < to; ++i) {
        const std::int64_t at =
            std::clamp((2 * i + 1) * from - to, std::int64_t{0}, whole * (from - 1));
        const std::int64_t before = at / whole;
        places.push_back({static_cast<std::size_t>(before),
                          static_cast<std::size_t>(std::min<std::int64_t>(before + 1, from - 1)),
                          static_cast<std::uint64_t>(at % whole)});
    }
    return places;
}

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
