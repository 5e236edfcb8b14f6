// SPDX-License-Identifier: Apache-2.0
#include "core/data/augment/erase.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/plain_math.h"

namespace lockstep::data {

namespace {

/// Of pixels 0 to 254: a number of 32 bits below it becomes at most that pixel.
using NoiseTable = std::array<std::uint32_t, 255>;

NoiseTable makeNoiseTable() {
    NoiseTable table{};
    for (std::size_t pixel = 0; pixel < table.size(); ++pixel) {
        const double bound = (static_cast<double>(pixel) + 0.5) / 255;
        const double share = normalShareBelow(bound);
        table[pixel] = static_cast<std::uint32_t>(share * 4294967296.0);
    }
    return table;
}

std::uint8_t noise(Draws& draws) {
    static const NoiseTable kTable = makeNoiseTable();
    const auto place = std::upper_bound(kTable.begin(), kTable.end(), draws.bits());
    return static_cast<std::uint8_t>(place - kTable.begin());
}

/// First place and number of those that [begin, begin + length) covers.
std::pair<int, int> covered(double share, int size, Draws& draws) {
    const double length = share * size;
    const double begin = draws.uniform() * (size - length);
    const int first = std::clamp(static_cast<int>(std::ceil(begin)), 0, size);
    const int end = std::clamp(static_cast<int>(std::ceil(begin + length)), first, size);
    return {first, end - first};
}

std::uint8_t* placeOf(const ImageShape& shape, const Box& box, int row, std::uint8_t* image) {
    return image + static_cast<std::size_t>(box.top + row) * shape.rowBytes() +
           static_cast<std::size_t>(box.left) * static_cast<std::size_t>(shape.channels);
}

std::size_t rowBytesOf(const ImageShape& shape, const Box& box) {
    return static_cast<std::size_t>(box.width) * static_cast<std::size_t>(shape.channels);
}

}  // namespace

Box drawnBox(const ImageShape& shape, double down, double across, Draws& draws) {
    Box box;
    std::tie(box.left, box.width) = covered(across, shape.width, draws);
    std::tie(box.top, box.height) = covered(down, shape.height, draws);
    return box;
}

void fillBox(const ImageShape& shape, const Box& box, std::uint8_t value, std::uint8_t* image) {
    for (int row = 0; row < box.height; ++row)
        std::fill_n(placeOf(shape, box, row, image), rowBytesOf(shape, box), value);
}

void fillWithNoise(const ImageShape& shape, const Box& box, Draws& draws, std::uint8_t* image) {
    for (int row = 0; row < box.height; ++row)
        std::generate_n(placeOf(shape, box, row, image), rowBytesOf(shape, box),
                        [&draws] { return noise(draws); });
}

void paste(const ImageView& other, const Box& box, std::uint8_t* image) {
    const auto start =
        static_cast<std::size_t>(box.left) * static_cast<std::size_t>(other.shape.channels);
    for (int row = 0; row < box.height; ++row)
        std::copy_n(other.row(box.top + row) + start, rowBytesOf(other.shape, box),
                    placeOf(other.shape, box, row, image));
}

void blend(const ImageView& other, std::uint32_t share, std::uint8_t* image) {
    constexpr std::uint32_t kWhole = 1 << 16;
    for (const std::uint8_t pixel : other.bytes()) {
        *image = static_cast<std::uint8_t>(
            (*image * share + pixel * (kWhole - share) + kWhole / 2) / kWhole);
        ++image;
    }
}

}  // namespace lockstep::data
