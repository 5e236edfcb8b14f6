// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/tensor/cpu/layers/winograd_transforms.h"

// Loops over the tiles of images [batch, height, width, channels], from and to planes of products:
// plane p of a block holds product p of each of its tiles, [tiles, channels].

namespace lockstep::tensor::winograd {

/// Images cut into tiles.
struct Tiles {
    std::size_t height;
    std::size_t width;
    std::size_t channels;
    std::ptrdiff_t top;   ///< Where the first tile begins; below 0 in the padding.
    std::ptrdiff_t left;  ///< Likewise.
    std::size_t rows;     ///< Of tiles in an image.
    std::size_t columns;
    std::size_t block;   ///< Tiles that planes have room for.
    std::size_t stride;  ///< From plane to plane, in floats.

    [[nodiscard]] std::size_t perImage() const { return rows * columns; }
};

/// A tile's pixels; null in the padding.
template <std::size_t kSide>
struct Pixels {
    float* at[kSide * kSide];
};

template <std::size_t kSide>
static LS_LOOP void findPixels(const Tiles& tiles, std::size_t tile, float* images,
                               Pixels<kSide>& to) {
    const std::size_t inImage = tile % tiles.perImage();
    float* const image =
        images + tile / tiles.perImage() * tiles.height * tiles.width * tiles.channels;
    const std::ptrdiff_t y =
        tiles.top + static_cast<std::ptrdiff_t>(inImage / tiles.columns * kPlaces);
    const std::ptrdiff_t x =
        tiles.left + static_cast<std::ptrdiff_t>(inImage % tiles.columns * kPlaces);
    for (std::size_t i = 0; i < kSide; ++i)
        for (std::size_t j = 0; j < kSide; ++j) {
            // What lies before the image is wrapped to beyond it.
            const auto row = static_cast<std::size_t>(y + static_cast<std::ptrdiff_t>(i));
            const auto column = static_cast<std::size_t>(x + static_cast<std::ptrdiff_t>(j));
            const bool isInside = row < tiles.height && column < tiles.width;
            to.at[i * kSide + j] =
                isInside ? image + (row * tiles.width + column) * tiles.channels : nullptr;
        }
}

static LS_LOOP void loadOrZero(const float* pixel, std::size_t channel, Lanes* to) {
    if (pixel == nullptr)
        *to = Lanes{};
    else
        load(pixel + channel, to);
}

/// `count` tiles from `first` on: from kSide x kSide pixels to planes.
template <std::size_t kSide, auto kTransform>
static LS_LOOP void toPlanes(const Tiles& tiles, std::size_t first, std::size_t count,
                             float* images, float* planes) {
    const Tiles t = tiles;
    for (std::size_t tile = 0; tile < count; ++tile) {
        Pixels<kSide> pixels;
        findPixels(t, first + tile, images, pixels);
        float* const to = planes + tile * t.channels;
        for (std::size_t c = 0; c < t.channels; c += kLanes) {
            Lanes half[kReads * kSide];  // column by column
            for (std::size_t i = 0; i < kSide; ++i) {
                Lanes row[kSide];
                for (std::size_t j = 0; j < kSide; ++j)
                    loadOrZero(pixels.at[i * kSide + j], c, row + j);
                kTransform(row, half + i, kSide);
            }
            for (std::size_t j = 0; j < kReads; ++j) {
                Lanes column[kReads];
                kTransform(half + j * kSide, column, 1);
                for (std::size_t i = 0; i < kReads; ++i)
                    store(column + i, to + (i * kReads + j) * t.stride + c);
            }
        }
    }
}

/// What is done to results on their way.
struct Finish {
    const float* bias;  ///< Null: none.
    bool relu;
};

static LS_LOOP void finish(const Finish& with, std::size_t channel, Lanes* value) {
    if (with.bias != nullptr) {
        Lanes bias;
        load(with.bias + channel, &bias);
        *value = *value + bias;
    }
    if (with.relu) *value = *value < 0.0F ? Lanes{} : *value;
}

/// The opposite: from planes to the 4 x 4 pixels of each tile.
static LS_LOOP void fromPlanes(const Tiles& tiles, std::size_t first, std::size_t count,
                               const float* planes, const Finish& with, float* images) {
    const Tiles t = tiles;
    const Finish end = with;
    for (std::size_t tile = 0; tile < count; ++tile) {
        Pixels<kPlaces> pixels;
        findPixels(t, first + tile, images, pixels);
        const float* const from = planes + tile * t.channels;
        for (std::size_t c = 0; c < t.channels; c += kLanes) {
            Lanes half[kPlaces * kReads];  // row by row
            for (std::size_t j = 0; j < kReads; ++j) {
                Lanes column[kReads];
                for (std::size_t i = 0; i < kReads; ++i)
                    load(from + (i * kReads + j) * t.stride + c, column + i);
                toPlaces(column, half + j, kReads);
            }
            for (std::size_t i = 0; i < kPlaces; ++i) {
                Lanes row[kPlaces];
                toPlaces(half + i * kReads, row, 1);
                for (std::size_t j = 0; j < kPlaces; ++j) {
                    float* const pixel = pixels.at[i * kPlaces + j];
                    if (pixel == nullptr) continue;
                    finish(end, c, row + j);
                    store(row + j, pixel + c);
                }
            }
        }
    }
}

}  // namespace lockstep::tensor::winograd
