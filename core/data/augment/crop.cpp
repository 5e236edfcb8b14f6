// SPDX-License-Identifier: Apache-2.0
#include "core/data/augment/crop.h"

#include <algorithm>
#include <cstring>

#include "core/data/images/bilinear.h"

namespace lockstep::data {

void crop(const ImageView& image, const Box& box, std::uint8_t* out) {
    const auto channels = static_cast<std::size_t>(image.shape.channels);
    const std::size_t rowBytes = static_cast<std::size_t>(box.width) * channels;
    const int from = std::clamp(box.left, 0, image.shape.width);
    const int to = std::clamp(box.left + box.width, from, image.shape.width);
    const auto before = static_cast<std::size_t>(std::min(from - box.left, box.width)) * channels;
    const auto within = static_cast<std::size_t>(to - from) * channels;
    for (int y = box.top; y < box.top + box.height; ++y, out += rowBytes) {
        if (y < 0 || y >= image.shape.height || within == 0) {
            std::memset(out, 0, rowBytes);
            continue;
        }
        std::memset(out, 0, before);
        std::memcpy(out + before, image.row(y) + static_cast<std::size_t>(from) * channels, within);
        std::memset(out + before + within, 0, rowBytes - before - within);
    }
}

void resizeBox(const ImageView& image, const Box& box, const ImageShape& to, std::uint8_t* out) {
    const auto rows = placesOf(box.height, to.height);
    const auto columns = placesOf(box.width, to.width);
    const auto down = static_cast<std::uint64_t>(to.height) * 2;
    const auto right = static_cast<std::uint64_t>(to.width) * 2;
    const auto channels = static_cast<std::size_t>(image.shape.channels);
    const std::size_t start = static_cast<std::size_t>(box.left) * channels;
    for (const Between& row : rows) {
        const std::uint8_t* above = image.row(box.top + static_cast<int>(row.before)) + start;
        const std::uint8_t* below = image.row(box.top + static_cast<int>(row.after)) + start;
        for (const Between& column : columns) {
            for (std::size_t c = 0; c < channels; ++c) {
                const std::size_t left = column.before * channels + c;
                const std::size_t next = column.after * channels + c;
                const auto mixed = [&](const std::uint8_t* line) {
                    return line[left] * (right - column.second) + line[next] * column.second;
                };
                const std::uint64_t sum =
                    mixed(above) * (down - row.second) + mixed(below) * row.second;
                *out++ = static_cast<std::uint8_t>((sum + down * right / 2) / (down * right));
            }
        }
    }
}

void flipAcross(const ImageView& image, std::uint8_t* out) {
    const auto channels = static_cast<std::size_t>(image.shape.channels);
    for (int y = 0; y < image.shape.height; ++y) {
        const std::uint8_t* pixel = image.row(y) + image.shape.rowBytes();
        for (int x = 0; x < image.shape.width; ++x) {
            pixel -= channels;
            out = std::copy_n(pixel, channels, out);
        }
    }
}

void flipDown(const ImageView& image, std::uint8_t* out) {
    for (int y = image.shape.height; y-- > 0;)
        out = std::copy_n(image.row(y), image.shape.rowBytes(), out);
}

}  // namespace lockstep::data
