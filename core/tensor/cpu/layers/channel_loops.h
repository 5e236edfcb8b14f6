// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/tensor/cpu/layers/folded_rows.h"
#include "core/tensor/cpu/layers/vector_loops.h"

// Loops over rows of channels that the normalisations share. Channels that are too few for a vector
// are folded: see FoldedRows.

namespace lockstep::tensor::channel_loops {

/// Columns whose sums stay in registers.
constexpr std::size_t kTile = 32;
/// Rows whose values stay near while the tiles of their columns are walked through.
constexpr std::size_t kBlock = 64;

/// Adds x and x² of `rows` rows of `width` (at most kTile) columns.
static LS_LOOP void addSquares(const float* x, std::size_t stride, std::size_t rows,
                               std::size_t width, double* sum, double* squares) {
    double s[kTile] = {};
    double q[kTile] = {};
    for (std::size_t r = 0; r < rows; ++r, x += stride)
        if (width == kTile)
            for (std::size_t c = 0; c < kTile; ++c) {
                const auto value = static_cast<double>(x[c]);
                s[c] += value;
                q[c] += value * value;
            }
        else
            for (std::size_t c = 0; c < width; ++c) {
                const auto value = static_cast<double>(x[c]);
                s[c] += value;
                q[c] += value * value;
            }
    for (std::size_t c = 0; c < width; ++c) {
        sum[c] += s[c];
        squares[c] += q[c];
    }
}

/// Operands of the sums of a gradient; `y` is null where no relu was fused.
struct GradientRows {
    const float* dy;
    const float* x;
    const float* y;
    const float* mean;
    const float* inverse;
};

template <bool kMasked>
static LS_LOOP void addGradients(const GradientRows& from, std::size_t stride, std::size_t rows,
                                 std::size_t width, double* sumDy, double* sumDyXhat) {
    double s[kTile] = {};
    double q[kTile] = {};
    const GradientRows g = from;
    std::size_t at = 0;
    for (std::size_t r = 0; r < rows; ++r, at += stride)
        if (width == kTile)
            for (std::size_t c = 0; c < kTile; ++c) {
                float dy = g.dy[at + c];
                if constexpr (kMasked) dy = g.y[at + c] > 0.0F ? dy : 0.0F;
                const float xhat = (g.x[at + c] - g.mean[c]) * g.inverse[c];
                s[c] += static_cast<double>(dy);
                q[c] += static_cast<double>(dy) * static_cast<double>(xhat);
            }
        else
            for (std::size_t c = 0; c < width; ++c) {
                float dy = g.dy[at + c];
                if constexpr (kMasked) dy = g.y[at + c] > 0.0F ? dy : 0.0F;
                const float xhat = (g.x[at + c] - g.mean[c]) * g.inverse[c];
                s[c] += static_cast<double>(dy);
                q[c] += static_cast<double>(dy) * static_cast<double>(xhat);
            }
    for (std::size_t c = 0; c < width; ++c) {
        sumDy[c] += s[c];
        sumDyXhat[c] += q[c];
    }
}

/// The sums of rows by `add(first element, rows, first column, width, one sum, other sum)`, in
/// blocks of rows and tiles of columns.
template <typename Add>
static LS_LOOP void inBlocks(std::size_t rows, std::size_t columns, double* one, double* other,
                             Add add) {
    for (std::size_t begin = 0; begin < rows; begin += kBlock) {
        const std::size_t count = rows - begin < kBlock ? rows - begin : kBlock;
        for (std::size_t first = 0; first < columns; first += kTile) {
            const std::size_t width = columns - first < kTile ? columns - first : kTile;
            add(begin * columns + first, count, first, width, one + first, other + first);
        }
    }
}

/// The same of folded rows, whose parts are added up; a rest of rows that fills none goes as it is.
template <typename Add>
static LS_LOOP void inFoldedBlocks(std::size_t rows, std::size_t channels, double* one,
                                   double* other, Add add) {
    for (std::size_t c = 0; c < channels; ++c)
        one[c] = other[c] = 0;
    const std::size_t fold = FoldedRows(channels).fold;
    if (fold == 1) return inBlocks(rows, channels, one, other, add);
    double ones[FoldedRows::kWidth] = {};
    double others[FoldedRows::kWidth] = {};
    const std::size_t columns = fold * channels;
    const std::size_t wide = rows / fold;
    inBlocks(wide, columns, ones, others, add);
    const std::size_t rest = (rows - wide * fold) * channels;
    if (rest > 0) add(wide * columns, 1, 0, rest, ones, others);
    for (std::size_t i = 0; i < columns; ++i) {
        one[i % channels] += ones[i];
        other[i % channels] += others[i];
    }
}

static LS_LOOP void sumsLoop(const float* x, std::size_t rows, std::size_t channels, double* sum,
                             double* squares) {
    const std::size_t stride = channels * FoldedRows(channels).fold;
    inFoldedBlocks(
        rows, channels, sum, squares,
        [ x, stride ](std::size_t at, std::size_t count, std::size_t, std::size_t width, double* s,
                      double* q)
            __attribute__((always_inline)) { addSquares(x + at, stride, count, width, s, q); });
}

/// mean and inverse have to be folded already.
static LS_LOOP void gradientSumsLoop(const GradientRows& rows, std::size_t count,
                                     std::size_t channels, double* sumDy, double* sumDyXhat) {
    const GradientRows g = rows;
    const std::size_t stride = channels * FoldedRows(channels).fold;
    inFoldedBlocks(
        count, channels, sumDy, sumDyXhat,
        [ g, stride ](std::size_t at, std::size_t blockRows, std::size_t first, std::size_t width,
                      double* s, double* q) __attribute__((always_inline)) {
            const GradientRows part{g.dy + at, g.x + at, g.y == nullptr ? nullptr : g.y + at,
                                    g.mean + first, g.inverse + first};
            if (g.y == nullptr)
                addGradients<false>(part, stride, blockRows, width, s, q);
            else
                addGradients<true>(part, stride, blockRows, width, s, q);
        });
}

/// What each channel is normalised with.
struct ChannelScale {
    const float* mean;
    const float* scale;
    const float* bias;
};

/// y = (x - mean) * scale + bias; `width` numbers are a row, folded or not.
template <bool kRelu>
static LS_LOOP void normalizeLoop(const float* x, const ChannelScale& with, float* y,
                                  std::size_t width, std::size_t count) {
    const ChannelScale w = with;
    for (std::size_t begin = 0; begin < count; begin += width) {
        const std::size_t length = count - begin < width ? count - begin : width;
        const float* from = x + begin;
        float* to = y + begin;
        LS_ELEMENTWISE
        for (std::size_t c = 0; c < length; ++c) {
            const float value = (from[c] - w.mean[c]) * w.scale[c] + w.bias[c];
            to[c] = kRelu && value < 0.0F ? 0.0F : value;
        }
    }
}

/// What each channel's gradient is made of.
struct ChannelGradient {
    const float* mean;
    const float* scale;   ///< Of dy.
    const float* offset;  ///< Taken away.
    const float* slope;   ///< Times x - mean, taken away.
};

/// dx = dy * scale - offset - (x - mean) * slope; dy masked by y where that is no null.
template <bool kMasked>
static LS_LOOP void inputGradientLoop(const float* dy, const float* x, const float* y,
                                      const ChannelGradient& with, float* dx, std::size_t width,
                                      std::size_t count) {
    const ChannelGradient w = with;
    for (std::size_t begin = 0; begin < count; begin += width) {
        const std::size_t length = count - begin < width ? count - begin : width;
        const float* gradients = dy + begin;
        const float* from = x + begin;
        const float* mask = kMasked ? y + begin : nullptr;
        float* to = dx + begin;
        LS_ELEMENTWISE
        for (std::size_t c = 0; c < length; ++c) {
            float gradient = gradients[c];
            if constexpr (kMasked) gradient = mask[c] > 0.0F ? gradient : 0.0F;
            to[c] = gradient * w.scale[c] - w.offset[c] - (from[c] - w.mean[c]) * w.slope[c];
        }
    }
}

}  // namespace lockstep::tensor::channel_loops
