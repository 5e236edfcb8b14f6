// SPDX-License-Identifier: Apache-2.0
#include "core/data/augment/tone.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lockstep::data {

namespace {

using Table = std::array<std::uint8_t, 256>;

std::uint8_t pixelOf(double value) {
    return static_cast<std::uint8_t>(std::clamp(std::floor(value + 0.5), 0.0, 255.0));
}

}  // namespace

void brighten(const ImageView& image, double delta, std::uint8_t* out) {
    Table table{};
    for (std::size_t x = 0; x < table.size(); ++x)
        table[x] = pixelOf(static_cast<double>(x) + delta * 255);
    for (const std::uint8_t x : image.bytes())
        *out++ = table[x];
}

void changeContrast(const ImageView& image, double factor, std::uint8_t* out) {
    const auto channels = static_cast<std::size_t>(image.shape.channels);
    const auto bytes = image.bytes();
    const std::size_t pixels = bytes.size() / channels;
    for (std::size_t c = 0; c < channels; ++c) {
        std::uint64_t sum = 0;
        for (std::size_t i = c; i < bytes.size(); i += channels)
            sum += bytes[i];
        const double mean = static_cast<double>(sum) / static_cast<double>(pixels);
        Table table{};
        for (std::size_t x = 0; x < table.size(); ++x)
            table[x] = pixelOf((static_cast<double>(x) - mean) * factor + mean);
        for (std::size_t i = c; i < bytes.size(); i += channels)
            out[i] = table[bytes[i]];
    }
}

}  // namespace lockstep::data
