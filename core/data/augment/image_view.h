// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep::data {

/// Of an 8-bit image, row by row, the channels of a pixel beside each other.
struct ImageShape {
    int height = 0;
    int width = 0;
    int channels = 1;

    [[nodiscard]] std::size_t rowBytes() const {
        return static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
    }
    [[nodiscard]] std::size_t bytes() const {
        return static_cast<std::size_t>(height) * rowBytes();
    }
    [[nodiscard]] bool operator==(const ImageShape&) const = default;
};

/// An image that somebody else holds.
struct ImageView {
    ImageShape shape;
    const std::uint8_t* pixels = nullptr;

    [[nodiscard]] const std::uint8_t* row(int y) const {
        return pixels + static_cast<std::size_t>(y) * shape.rowBytes();
    }
    [[nodiscard]] std::span<const std::uint8_t> bytes() const { return {pixels, shape.bytes()}; }
};

/// Rows [top, top + height) and columns [left, left + width) of an image.
struct Box {
    int top = 0;
    int left = 0;
    int height = 0;
    int width = 0;
};

}  // namespace lockstep::data
