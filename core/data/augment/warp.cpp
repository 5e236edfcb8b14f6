// SPDX-License-Identifier: Apache-2.0
#include "core/data/augment/warp.h"

#include <algorithm>
#include <cmath>
#include <numbers>

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

/// The four pixels about a place; null: outside.
struct Neighbours {
    std::array<const std::uint8_t*, 4> pixels{};  ///< Above left and right, below left and right.
    std::array<std::uint64_t, 4> weights{};       ///< Of 2^32 together.
};

Neighbours neighboursAt(const ImageView& image, std::int64_t x, std::int64_t y,
                        config::FillMode mode) {
    constexpr std::uint64_t kWhole = 1 << 16;
    const std::uint64_t right = (static_cast<std::uint64_t>(x) & 0xFFFFFFFFU) >> 16;
    const std::uint64_t below = (static_cast<std::uint64_t>(y) & 0xFFFFFFFFU) >> 16;
    const std::int64_t column = x >> 32;
    const std::int64_t row = y >> 32;
    const int columns[] = {placeWithin(column, image.shape.width, mode),
                           placeWithin(column + 1, image.shape.width, mode)};
    const int rows[] = {placeWithin(row, image.shape.height, mode),
                        placeWithin(row + 1, image.shape.height, mode)};
    Neighbours found;
    found.weights = {(kWhole - right) * (kWhole - below), right * (kWhole - below),
                     (kWhole - right) * below, right * below};
    for (std::size_t i = 0; i < 4; ++i) {
        const int at = columns[i % 2];
        if (at == kOutside || rows[i / 2] == kOutside) continue;
        found.pixels[i] =
            image.row(rows[i / 2]) +
            static_cast<std::size_t>(at) * static_cast<std::size_t>(image.shape.channels);
    }
    return found;
}

}  // namespace

AffineMap rotation(const ImageShape& shape, double turns) {
    const double angle = turns * 2 * std::numbers::pi;
    const double cosine = std::cos(angle);
    const double sine = std::sin(angle);
    return aboutCentre(shape, cosine, -sine, sine, cosine);
}

AffineMap zoom(const ImageShape& shape, double down, double across) {
    return aboutCentre(shape, across, 0, 0, down);
}

AffineMap translation(const ImageShape& shape, double down, double across) {
    return {{fixed(1), 0, fixed(-across * shape.width), 0, fixed(1), fixed(-down * shape.height)}};
}

void warp(const ImageView& image, const AffineMap& map, const Fill& fill, std::uint8_t* out) {
    const auto& [ax, ay, a, bx, by, b] = map.parts;
    const auto channels = static_cast<std::size_t>(image.shape.channels);
    for (std::int64_t y = 0; y < image.shape.height; ++y) {
        for (std::int64_t x = 0; x < image.shape.width; ++x) {
            const Neighbours near =
                neighboursAt(image, ax * x + ay * y + a, bx * x + by * y + b, fill.mode);
            for (std::size_t c = 0; c < channels; ++c) {
                std::uint64_t sum = std::uint64_t{1} << 31;
                for (std::size_t i = 0; i < 4; ++i)
                    sum += near.weights[i] *
                           (near.pixels[i] != nullptr ? near.pixels[i][c] : fill.value);
                *out++ = static_cast<std::uint8_t>(sum >> 32);
            }
        }
    }
}

}  // namespace lockstep::data
