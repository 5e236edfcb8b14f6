// SPDX-License-Identifier: Apache-2.0
#include "core/data/sample_preview.h"

#include <algorithm>

namespace lockstep::data {

namespace {

constexpr int kMostBytes = 5120;  // two dozen of them fit in a record beside a large matrix

/// Mean of channel `c` over the pixels from (top, left) that lie in the image.
std::uint8_t meanOf(const Split& split, const std::uint8_t* image, int top, int left, int step,
                    int c) {
    const int bottom = std::min(top + step, split.height());
    const int right = std::min(left + step, split.width());
    std::uint64_t sum = 0;
    for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x)
            sum += image[(static_cast<std::size_t>(y) * static_cast<std::size_t>(split.width()) +
                          static_cast<std::size_t>(x)) *
                             static_cast<std::size_t>(split.channels()) +
                         static_cast<std::size_t>(c)];
    const auto count =
        static_cast<std::uint64_t>(bottom - top) * static_cast<std::uint64_t>(right - left);
    return static_cast<std::uint8_t>((sum + count / 2) / count);
}

}  // namespace

PreviewSize previewSize(const Split& split) {
    if (split.inputKind != InputKind::Pixels) return {};
    PreviewSize size{split.height(), split.width(), 1};
    while (std::int64_t{size.height} * size.width * split.channels() > kMostBytes) {
        ++size.step;
        size.height = (split.height() + size.step - 1) / size.step;
        size.width = (split.width() + size.step - 1) / size.step;
    }
    return size;
}

std::vector<std::uint8_t> previewOf(const Split& split, std::uint32_t index) {
    const auto image = split.input(index);
    const PreviewSize size = previewSize(split);
    if (size.step == 1) return {image.begin(), image.end()};
    std::vector<std::uint8_t> pixels;
    for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x)
            for (int c = 0; c < split.channels(); ++c)
                pixels.push_back(
                    meanOf(split, image.data(), y * size.step, x * size.step, size.step, c));
    return pixels;
}

}  // namespace lockstep::data
