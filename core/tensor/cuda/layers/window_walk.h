// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/tensor/cuda/element_math.h"

// Where windows stand on images, for kernels of pooling and convolution. 32-bit numbers: a division
// of them costs a fraction of one of 64 bits.
namespace lockstep::tensor::cuda {

/// Sizes along the rows (0) and the columns (1) of images.
struct WindowAxis {
    std::int32_t extent = 1;  ///< Of the image.
    std::int32_t places = 1;  ///< Of the window.
    std::int32_t taps = 1;
    std::int32_t stride = 1;
    std::int32_t dilation = 1;
    std::int32_t before = 0;  ///< Padding.

    /// Of a tap of the window at a place; outside [0, extent) on padding.
    [[nodiscard]] LS_BOTH std::int32_t position(std::int32_t place, std::int32_t tap) const {
        return place * stride + tap * dilation - before;
    }
    [[nodiscard]] LS_BOTH bool isInside(std::int32_t position) const {
        return position >= 0 && position < extent;
    }
    /// The place whose tap lies on a position; -1: there is none.
    [[nodiscard]] LS_BOTH std::int32_t placeOf(std::int32_t position, std::int32_t tap) const {
        const std::int32_t begin = position + before - tap * dilation;
        if (begin < 0 || begin % stride != 0) return -1;
        const std::int32_t place = begin / stride;
        return place < places ? place : -1;
    }
    /// Taps on the image.
    [[nodiscard]] LS_BOTH std::int32_t tapsInside(std::int32_t place) const {
        std::int32_t count = 0;
        for (std::int32_t tap = 0; tap < taps; ++tap)
            count += isInside(position(place, tap)) ? 1 : 0;
        return count;
    }
};

/// Images [samples, extents, channels] and the places [samples, places, ...] of a window on them.
struct WindowWalk {
    WindowAxis rows;
    WindowAxis columns;
    std::int32_t channels = 1;  ///< Of the image.

    [[nodiscard]] LS_BOTH std::size_t imageSize() const {
        return static_cast<std::size_t>(rows.extent) * static_cast<std::size_t>(columns.extent) *
               static_cast<std::size_t>(channels);
    }
    [[nodiscard]] LS_BOTH std::size_t placeCount() const {
        return static_cast<std::size_t>(rows.places) * static_cast<std::size_t>(columns.places);
    }
    [[nodiscard]] LS_BOTH std::size_t tapCount() const {
        return static_cast<std::size_t>(rows.taps) * static_cast<std::size_t>(columns.taps);
    }
    /// Element of a sample's image.
    [[nodiscard]] LS_BOTH std::size_t pixel(std::int32_t row, std::int32_t column,
                                            std::int32_t channel) const {
        return (static_cast<std::size_t>(row) * static_cast<std::size_t>(columns.extent) +
                static_cast<std::size_t>(column)) *
                   static_cast<std::size_t>(channels) +
               static_cast<std::size_t>(channel);
    }
    [[nodiscard]] LS_BOTH std::size_t place(std::int32_t row, std::int32_t column) const {
        return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns.places) +
               static_cast<std::size_t>(column);
    }
};

/// An element of [samples, rows, columns, channels], taken apart.
struct ElementPlace {
    std::size_t sample;
    std::int32_t row;
    std::int32_t column;
    std::int32_t channel;
};
LS_BOTH inline ElementPlace elementPlace(std::size_t element, std::int32_t rows,
                                         std::int32_t columns, std::int32_t channels) {
    const std::size_t size = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) *
                             static_cast<std::size_t>(channels);
    const std::size_t sample = element / size;
    const auto rest = static_cast<std::uint32_t>(element - sample * size);
    const std::uint32_t pixel = rest / static_cast<std::uint32_t>(channels);
    const std::uint32_t row = pixel / static_cast<std::uint32_t>(columns);
    return {sample, static_cast<std::int32_t>(row),
            static_cast<std::int32_t>(pixel - row * static_cast<std::uint32_t>(columns)),
            static_cast<std::int32_t>(rest - pixel * static_cast<std::uint32_t>(channels))};
}

}  // namespace lockstep::tensor::cuda
