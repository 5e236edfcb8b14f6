// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/image_moves.h"

#include <algorithm>

#include "core/base/check.h"

namespace lockstep::tensor {
namespace {

/// Calls visit(first element of a row of the image, first of its place in the padded one).
template <typename Visit>
void forEachRow(const ImageShape& shape, const Extent& before, const Extent& after, Visit visit) {
    const std::size_t height = before[0] + shape.height + after[0];
    const std::size_t width = before[1] + shape.width + after[1];
    for (std::size_t n = 0; n < shape.batch; ++n)
        for (std::size_t row = 0; row < shape.height; ++row)
            visit((n * shape.height + row) * shape.width * shape.channels,
                  ((n * height + before[0] + row) * width + before[1]) * shape.channels);
}

std::size_t paddedSize(const ImageShape& shape, const Extent& before, const Extent& after) {
    return shape.batch * (before[0] + shape.height + after[0]) *
           (before[1] + shape.width + after[1]) * shape.channels;
}

/// Calls visit(element of the pixel, element of one of its copies), a pixel's copies row by row.
template <typename Visit>
void forEachCopy(const ImageShape& shape, const Extent& factor, Visit visit) {
    const std::size_t width = shape.width * factor[1];
    for (std::size_t row = 0; row < shape.batch * shape.height; ++row)
        for (std::size_t i = 0; i < factor[0]; ++i)
            for (std::size_t column = 0; column < width; ++column)
                visit((row * shape.width + column / factor[1]) * shape.channels,
                      ((row * factor[0] + i) * width + column) * shape.channels);
}

/// [batch, rows, columns] to [batch, columns, rows], in tiles, so that both stay near.
void transpose(std::size_t batch, std::size_t rows, std::size_t columns, const float* x, float* y) {
    constexpr std::size_t kTile = 16;
    for (std::size_t n = 0; n < batch; ++n, x += rows * columns, y += rows * columns)
        for (std::size_t row = 0; row < rows; row += kTile)
            for (std::size_t column = 0; column < columns; column += kTile)
                for (std::size_t c = column; c < std::min(column + kTile, columns); ++c)
                    for (std::size_t r = row; r < std::min(row + kTile, rows); ++r)
                        y[c * rows + r] = x[r * columns + c];
}

}  // namespace

void zeroPadding(const ImageShape& shape, const Extent& before, const Extent& after,
                 std::span<const float> x, std::span<float> y) {
    LS_CHECK(x.size() == shape.size() && y.size() == paddedSize(shape, before, after),
             "a padding's operands must be as large as its shape says");
    std::ranges::fill(y, 0.0F);
    forEachRow(shape, before, after, [&](std::size_t from, std::size_t to) {
        std::copy_n(x.data() + from, shape.width * shape.channels, y.data() + to);
    });
}

void zeroPaddingGradient(const ImageShape& shape, const Extent& before, const Extent& after,
                         std::span<const float> dy, std::span<float> dx) {
    LS_CHECK(dx.size() == shape.size() && dy.size() == paddedSize(shape, before, after),
             "a padding's operands must be as large as its shape says");
    forEachRow(shape, before, after, [&](std::size_t to, std::size_t from) {
        std::copy_n(dy.data() + from, shape.width * shape.channels, dx.data() + to);
    });
}

void upSampling(const ImageShape& shape, const Extent& factor, std::span<const float> x,
                std::span<float> y) {
    LS_CHECK(x.size() == shape.size() && y.size() == x.size() * factor[0] * factor[1],
             "an up-sampling's operands must be as large as its shape says");
    forEachCopy(shape, factor, [&](std::size_t from, std::size_t to) {
        std::copy_n(x.data() + from, shape.channels, y.data() + to);
    });
}

void upSamplingGradient(const ImageShape& shape, const Extent& factor, std::span<const float> dy,
                        std::span<float> dx) {
    LS_CHECK(dx.size() == shape.size() && dy.size() == dx.size() * factor[0] * factor[1],
             "an up-sampling's operands must be as large as its shape says");
    std::ranges::fill(dx, 0.0F);
    forEachCopy(shape, factor, [&](std::size_t to, std::size_t from) {
        for (std::size_t c = 0; c < shape.channels; ++c)
            dx[to + c] += dy[from + c];
    });
}

void toChannelsFirst(std::size_t batch, std::size_t places, std::size_t channels,
                     std::span<const float> x, std::span<float> y) {
    LS_CHECK(x.size() == batch * places * channels && y.size() == x.size(),
             "both must be as large as the shape says");
    transpose(batch, places, channels, x.data(), y.data());
}

void toChannelsLast(std::size_t batch, std::size_t places, std::size_t channels,
                    std::span<const float> x, std::span<float> y) {
    LS_CHECK(x.size() == batch * places * channels && y.size() == x.size(),
             "both must be as large as the shape says");
    transpose(batch, channels, places, x.data(), y.data());
}

void putColumns(ConstMatrix part, std::size_t first, Matrix whole) {
    LS_CHECK(part.rows == whole.rows && first + part.columns <= whole.columns,
             "a part has to lie within the whole");
    for (std::size_t r = 0; r < part.rows; ++r)
        std::ranges::copy(part.row(r), whole.row(r).begin() + static_cast<std::ptrdiff_t>(first));
}

void takeColumns(ConstMatrix whole, std::size_t first, Matrix part) {
    LS_CHECK(part.rows == whole.rows && first + part.columns <= whole.columns,
             "a part has to lie within the whole");
    for (std::size_t r = 0; r < part.rows; ++r)
        std::ranges::copy(whole.row(r).subspan(first, part.columns), part.row(r).begin());
}

}  // namespace lockstep::tensor
