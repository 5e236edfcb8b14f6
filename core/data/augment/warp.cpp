// SPDX-License-Identifier: Apache-2.0
#include "core/data/augment/warp.h"

#include <cmath>

#include "core/base/plain_math.h"

namespace lockstep::data {

namespace {

constexpr double kOne = 4294967296.0;  // a pixel, 2^32
constexpr int kOutside = -1;

std::int64_t fixed(double pixels) {
    return std::llround(pixels * kOne);
}

/// `a` and `b` are of x and y in the row, the last of each is what centres it.
AffineMap aboutCentre(const ImageShape& shape, double ax, double ay, double bx, double by) {
    const double centreX = 0.5 * (shape.width - 1);
    const double centreY = 0.5 * (shape.height - 1);
    return {{fixed(ax), fixed(ay), fixed(centreX - centreX * ax - centreY * ay), fixed(bx),
             fixed(by), fixed(centreY - centreX * bx - centreY * by)}};
}

/// Where the row or column `at`, which may lie outside, is taken from; kOutside: from nowhere.
int placeWithin(std::int64_t at, int size, config::FillMode mode) {
    if (at >= 0 && at < size) return static_cast<int>(at);
    switch (mode) {
        case config::FillMode::Constant:
            return kOutside;
        case config::FillMode::Nearest:
            return at < 0 ? 0 : size - 1;
        case config::FillMode::Wrap:
            return static_cast<int>((at % size + size) % size);
        case config::FillMode::Reflect:
            break;
    }
    const std::int64_t period = std::int64_t{2} * size;
    const std::int64_t place = (at % period + period) % period;
    return static_cast<int>(place < size ? place : period - 1 - place);
}

/// Where a pixel of the result comes from: between four pixels, as parts of 2^16 of the way.
struct Spot {
    std::int64_t row = 0;
    std::int64_t column = 0;
    std::uint64_t right = 0;
    std::uint64_t below = 0;
};

Spot spotAt(std::int64_t x, std::int64_t y) {
    return {.row = y >> 32,
            .column = x >> 32,
            .right = (static_cast<std::uint64_t>(x) & 0xFFFFFFFFU) >> 16,
            .below = (static_cast<std::uint64_t>(y) & 0xFFFFFFFFU) >> 16};
}

std::uint8_t mixed(const Spot& place, std::uint64_t aboveLeft, std::uint64_t aboveRight,
                   std::uint64_t belowLeft, std::uint64_t belowRight) {
    constexpr std::uint64_t kWhole = 1 << 16;
    const std::uint64_t above = aboveLeft * (kWhole - place.right) + aboveRight * place.right;
    const std::uint64_t below = belowLeft * (kWhole - place.right) + belowRight * place.right;
    return static_cast<std::uint8_t>(
        (above * (kWhole - place.below) + below * place.below + (std::uint64_t{1} << 31)) >> 32);
}

/// A pixel whose four neighbours lie in the image.
template <std::size_t Channels>
std::uint8_t* takeInside(const ImageView& image, const Spot& place, std::size_t channels,
                         std::uint8_t* out) {
    const std::size_t count = Channels > 0 ? Channels : channels;
    const std::uint8_t* above =
        image.row(static_cast<int>(place.row)) + static_cast<std::size_t>(place.column) * count;
    const std::uint8_t* below = above + image.shape.rowBytes();
    for (std::size_t c = 0; c < count; ++c)
        *out++ = mixed(place, above[c], above[count + c], below[c], below[count + c]);
    return out;
}

/// A pixel at the edge or outside.
std::uint8_t* takeFilled(const ImageView& image, const Spot& place, const Fill& fill,
                         std::uint8_t* out) {
    const ImageShape& shape = image.shape;
    const int columns[] = {placeWithin(place.column, shape.width, fill.mode),
                           placeWithin(place.column + 1, shape.width, fill.mode)};
    const int rows[] = {placeWithin(place.row, shape.height, fill.mode),
                        placeWithin(place.row + 1, shape.height, fill.mode)};
    const auto channels = static_cast<std::size_t>(shape.channels);
    for (std::size_t c = 0; c < channels; ++c) {
        const auto at = [&](int row, int column) -> std::uint64_t {
            if (row == kOutside || column == kOutside) return fill.value;
            return image.row(row)[static_cast<std::size_t>(column) * channels + c];
        };
        *out++ = mixed(place, at(rows[0], columns[0]), at(rows[0], columns[1]),
                       at(rows[1], columns[0]), at(rows[1], columns[1]));
    }
    return out;
}

template <std::size_t Channels>
void warpAll(const ImageView& image, const AffineMap& map, const Fill& fill, std::uint8_t* out) {
    const auto& [ax, ay, a, bx, by, b] = map.parts;
    const auto channels = static_cast<std::size_t>(image.shape.channels);
    for (std::int64_t row = 0; row < image.shape.height; ++row) {
        std::int64_t x = ay * row + a;
        std::int64_t y = by * row + b;
        for (int column = 0; column < image.shape.width; ++column, x += ax, y += bx) {
            const Spot place = spotAt(x, y);
            const bool isInside = place.column >= 0 && place.column + 1 < image.shape.width &&
                                  place.row >= 0 && place.row + 1 < image.shape.height;
            out = isInside ? takeInside<Channels>(image, place, channels, out)
                           : takeFilled(image, place, fill, out);
        }
    }
}

}  // namespace

AffineMap rotation(const ImageShape& shape, double turns) {
    const double part = (turns - std::floor(turns)) * 2;  // of pi, from 0 to below 2
    const bool isBeyond = part > 1;
    const double cosine = isBeyond ? cosOfPi(2 - part) : cosOfPi(part);
    const double sine = isBeyond ? -sinOfPi(2 - part) : sinOfPi(part);
    return aboutCentre(shape, cosine, -sine, sine, cosine);
}

AffineMap zoom(const ImageShape& shape, double down, double across) {
    return aboutCentre(shape, across, 0, 0, down);
}

AffineMap translation(const ImageShape& shape, double down, double across) {
    return {{fixed(1), 0, fixed(-across * shape.width), 0, fixed(1), fixed(-down * shape.height)}};
}

void warp(const ImageView& image, const AffineMap& map, const Fill& fill, std::uint8_t* out) {
    if (image.shape.channels == 1)
        warpAll<1>(image, map, fill, out);
    else if (image.shape.channels == 3)
        warpAll<3>(image, map, fill, out);
    else
        warpAll<0>(image, map, fill, out);
}

}  // namespace lockstep::data
