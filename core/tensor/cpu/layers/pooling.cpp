// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/pooling.h"

#include <limits>

#include "core/base/check.h"

namespace lockstep::tensor {
namespace {

/// The taps of one window that are on the image.
struct Taps {
    std::size_t first[2];
    std::size_t end[2];
    [[nodiscard]] std::size_t count() const { return (end[0] - first[0]) * (end[1] - first[1]); }
};

LS_LOOP void clip(const PoolingShape& shape, std::size_t axis, std::size_t place, Taps& taps) {
    const Window& window = shape.window;
    const std::size_t extent = axis == 0 ? shape.height : shape.width;
    std::size_t first = 0;
    std::size_t end = window.size[axis];
    // Wrapping below 0 lies beyond the extent, too.
    while (first < end && window.position(axis, place, first) >= extent)
        ++first;
    while (end > first && window.position(axis, place, end - 1) >= extent)
        --end;
    taps.first[axis] = first;
    taps.end[axis] = end;
}

/// Calls atPlace(taps, first element of the sample's image, element of the result) for each window.
template <typename AtPlace>
LS_LOOP void forEachPlace(const PoolingShape& shape, AtPlace atPlace) {
    const Extent places = shape.window.places({shape.height, shape.width});
    const std::size_t image = shape.height * shape.width * shape.channels;
    std::size_t result = 0;
    for (std::size_t n = 0; n < shape.batch; ++n)
        for (std::size_t row = 0; row < places[0]; ++row) {
            Taps taps{};
            clip(shape, 0, row, taps);
            for (std::size_t column = 0; column < places[1]; ++column) {
                clip(shape, 1, column, taps);
                atPlace(taps, row, column, n * image, result);
                result += shape.channels;
            }
        }
}

/// Calls atTap(element of the image) for each pixel below a window, row by row.
template <typename AtTap>
LS_LOOP void forEachTap(const PoolingShape& shape, const Taps& taps, std::size_t row,
                        std::size_t column, std::size_t image, AtTap atTap) {
    for (std::size_t i = taps.first[0]; i < taps.end[0]; ++i) {
        const std::size_t y = shape.window.position(0, row, i);
        for (std::size_t j = taps.first[1]; j < taps.end[1]; ++j) {
            const std::size_t x = shape.window.position(1, column, j);
            atTap(image + (y * shape.width + x) * shape.channels);
        }
    }
}

#define LS_INLINED __attribute__((always_inline))

LS_LOOP void fillZero(float* values, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        values[i] = 0;
}

LS_LOOP void larger(const float* __restrict x, float* __restrict y, std::size_t channels) {
    for (std::size_t c = 0; c < channels; ++c) {
        const float value = x[c];
        const float before = y[c];
        // What is not below or equal is above, or NaN on either side; the first NaN stays.
        y[c] = value <= before || before != before ? before : value;
    }
}

LS_LOOP void notBelowZero(float* y, std::size_t channels) {
    for (std::size_t c = 0; c < channels; ++c)
        y[c] = y[c] < 0.0F ? 0.0F : y[c];
}

LS_LOOP void maxLoop(const PoolingShape& shape, const float* x, float* y, bool relu) {
    forEachPlace(shape, [&](const Taps& taps, std::size_t row, std::size_t column,
                            std::size_t image, std::size_t result) LS_INLINED {
        bool isFirst = true;
        float* const to = y + result;
        forEachTap(shape, taps, row, column, image, [&](std::size_t pixel) LS_INLINED {
            if (isFirst)
                for (std::size_t c = 0; c < shape.channels; ++c)
                    to[c] = x[pixel + c];
            else
                larger(x + pixel, to, shape.channels);
            isFirst = false;
        });
        if (relu) notBelowZero(to, shape.channels);
    });
}

/// Windows of two by two that touch are common, and no pixel is in two of them.
struct Square {
    std::size_t pixels[4];
};

bool hasSquares(const PoolingShape& shape) {
    const Extent two{2, 2};
    return shape.window.size == two && shape.window.strides == two &&
           shape.window.dilation == Extent{1, 1} && shape.window.before == Extent{0, 0} &&
           shape.window.after == Extent{0, 0};
}

/// Calls atSquare(its pixels, element of the result) for each.
template <typename AtSquare>
LS_LOOP void forEachSquare(const PoolingShape& shape, AtSquare atSquare) {
    const std::size_t line = shape.width * shape.channels;
    std::size_t result = 0;
    for (std::size_t n = 0; n < shape.batch; ++n)
        for (std::size_t row = 0; row < shape.height / 2; ++row)
            for (std::size_t column = 0; column < shape.width / 2; ++column) {
                const std::size_t at =
                    (n * shape.height + 2 * row) * line + 2 * column * shape.channels;
                const std::size_t below = at + line;
                atSquare(Square{{at, at + shape.channels, below, below + shape.channels}}, result);
                result += shape.channels;
            }
}

/// The first of two that are equal, or that are both NaN.
LS_LOOP float largerOf(float first, float second) {
    const float larger = second <= first ? first : second;
    return first != first ? first : larger;
}

LS_LOOP void largestInSquare(const Square& square, const float* __restrict x, float least,
                             float* __restrict y, std::size_t channels) {
    const Square s = square;
    LS_ELEMENTWISE
    for (std::size_t c = 0; c < channels; ++c) {
        const float upper = largerOf(x[s.pixels[0] + c], x[s.pixels[1] + c]);
        const float lower = largerOf(x[s.pixels[2] + c], x[s.pixels[3] + c]);
        const float largest = largerOf(upper, lower);
        y[c] = largest < least ? least : largest;
    }
}

LS_LOOP void squareLoop(const PoolingShape& shape, const float* x, float* y, bool relu) {
    constexpr float kNone = -std::numeric_limits<float>::infinity();
    const float least = relu ? 0.0F : kNone;
    forEachSquare(shape, [&](const Square& square, std::size_t result) LS_INLINED {
        largestInSquare(square, x, least, y + result, shape.channels);
    });
}

/// Channels of a window whose gradients wait for their pixel in registers.
constexpr std::size_t kTile = 64;

/// Gives what waits to the pixels that hold the maximum.
LS_LOOP void giveToMaximum(const float* __restrict x, const float* __restrict y,
                           float* __restrict waiting, float* __restrict dx, std::size_t width) {
    for (std::size_t c = 0; c < width; ++c) {
        const float value = x[c];
        const bool isIt = value == y[c] || value != value;
        const float gradient = waiting[c];
        dx[c] += isIt ? gradient : 0.0F;
        waiting[c] = isIt ? 0.0F : gradient;
    }
}

LS_LOOP void giveInSquare(const Square& square, const float* __restrict x,
                          const float* __restrict y, const float* __restrict dy, bool relu,
                          float* __restrict dx, std::size_t channels) {
    const Square s = square;
    LS_ELEMENTWISE
    for (std::size_t c = 0; c < channels; ++c) {
        const float largest = y[c];
        float waiting = relu && !(largest > 0.0F) ? 0.0F : dy[c];
        for (const std::size_t pixel : s.pixels) {
            const float value = x[pixel + c];
            const bool isIt = value == largest || value != value;
            dx[pixel + c] = isIt ? waiting : 0.0F;
            waiting = isIt ? 0.0F : waiting;
        }
    }
}

LS_LOOP void squareGradientLoop(const PoolingShape& shape, const float* x, const float* y,
                                const float* dy, float* dx, bool relu) {
    const bool isWhole = shape.height % 2 == 0 && shape.width % 2 == 0;
    if (!isWhole) fillZero(dx, shape.batch * shape.height * shape.width * shape.channels);
    forEachSquare(shape, [&](const Square& square, std::size_t result) LS_INLINED {
        giveInSquare(square, x, y + result, dy + result, relu, dx, shape.channels);
    });
}

LS_LOOP void maxGradientLoop(const PoolingShape& shape, const float* x, const float* y,
                             const float* dy, float* dx, bool relu) {
    fillZero(dx, shape.batch * shape.height * shape.width * shape.channels);
    forEachPlace(shape, [&](const Taps& taps, std::size_t row, std::size_t column,
                            std::size_t image, std::size_t result) LS_INLINED {
        for (std::size_t first = 0; first < shape.channels; first += kTile) {
            const std::size_t width =
                shape.channels - first < kTile ? shape.channels - first : kTile;
            const std::size_t at = result + first;
            float waiting[kTile];
            for (std::size_t c = 0; c < width; ++c)
                waiting[c] = relu && !(y[at + c] > 0.0F) ? 0.0F : dy[at + c];
            forEachTap(shape, taps, row, column, image + first, [&](std::size_t pixel) LS_INLINED {
                giveToMaximum(x + pixel, y + at, waiting, dx + pixel, width);
            });
        }
    });
}

LS_LOOP void accumulate(const float* __restrict x, float* __restrict y, std::size_t count) {
    for (std::size_t c = 0; c < count; ++c)
        y[c] += x[c];
}

LS_LOOP void averageLoop(const PoolingShape& shape, const float* x, float* y) {
    forEachPlace(shape, [&](const Taps& taps, std::size_t row, std::size_t column,
                            std::size_t image, std::size_t result) LS_INLINED {
        float* const to = y + result;
        fillZero(to, shape.channels);
        forEachTap(shape, taps, row, column, image, [&](std::size_t pixel) LS_INLINED {
            accumulate(x + pixel, to, shape.channels);
        });
        const auto count = static_cast<float>(taps.count());
        for (std::size_t c = 0; c < shape.channels; ++c)
            to[c] /= count;
    });
}

LS_LOOP void accumulateQuotient(const float* __restrict dy, float count, float* __restrict dx,
                                std::size_t channels) {
    for (std::size_t c = 0; c < channels; ++c)
        dx[c] += dy[c] / count;
}

LS_LOOP void averageGradientLoop(const PoolingShape& shape, const float* dy, float* dx) {
    fillZero(dx, shape.batch * shape.height * shape.width * shape.channels);
    forEachPlace(shape, [&](const Taps& taps, std::size_t row, std::size_t column,
                            std::size_t image, std::size_t result) LS_INLINED {
        const auto count = static_cast<float>(taps.count());
        forEachTap(shape, taps, row, column, image, [&](std::size_t pixel) LS_INLINED {
            accumulateQuotient(dy + result, count, dx + pixel, shape.channels);
        });
    });
}

LS_LOOP void divideLoop(float* values, float divisor, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        values[i] /= divisor;
}

/// A sample is an image whose one window covers all of it.
PoolingShape asOneWindow(const GlobalPoolingShape& shape) {
    PoolingShape pooling{.batch = shape.samples,
                         .height = shape.places,
                         .width = 1,
                         .channels = shape.channels,
                         .window = {}};
    pooling.window.size = {shape.places, 1};
    return pooling;
}

void checkSizes(const PoolingShape& shape, std::size_t image, std::size_t result) {
    LS_CHECK(image == shape.inputSize() && result == shape.outputSize(),
             "a pooling's operands must be as large as its shape says");
}

}  // namespace

bool PoolingShape::hasEmptyWindow() const {
    const Extent count = places();
    for (std::size_t axis = 0; axis < 2; ++axis) {
        if (count[axis] == 0) return true;
        for (std::size_t place = 0; place < count[axis]; ++place) {
            Taps taps{};
            clip(*this, axis, place, taps);
            if (taps.first[axis] == taps.end[axis]) return true;
        }
    }
    return false;
}

void maxPooling(const PoolingShape& shape, std::span<const float> x, std::span<float> y,
                VectorIsa isa, bool relu) {
    checkSizes(shape, x.size(), y.size());
    if (hasSquares(shape))
        runLoop<squareLoop>(isa, shape, x.data(), y.data(), relu);
    else
        runLoop<maxLoop>(isa, shape, x.data(), y.data(), relu);
}

void maxPoolingGradient(const PoolingShape& shape, std::span<const float> x,
                        std::span<const float> y, std::span<const float> dy, std::span<float> dx,
                        VectorIsa isa, bool relu) {
    checkSizes(shape, x.size(), y.size());
    checkSizes(shape, dx.size(), dy.size());
    if (hasSquares(shape))
        runLoop<squareGradientLoop>(isa, shape, x.data(), y.data(), dy.data(), dx.data(), relu);
    else
        runLoop<maxGradientLoop>(isa, shape, x.data(), y.data(), dy.data(), dx.data(), relu);
}

void averagePooling(const PoolingShape& shape, std::span<const float> x, std::span<float> y,
                    VectorIsa isa) {
    checkSizes(shape, x.size(), y.size());
    runLoop<averageLoop>(isa, shape, x.data(), y.data());
}

void averagePoolingGradient(const PoolingShape& shape, std::span<const float> dy,
                            std::span<float> dx, VectorIsa isa) {
    checkSizes(shape, dx.size(), dy.size());
    runLoop<averageGradientLoop>(isa, shape, dy.data(), dx.data());
}

void globalMaxPooling(const GlobalPoolingShape& shape, std::span<const float> x, std::span<float> y,
                      VectorIsa isa) {
    maxPooling(asOneWindow(shape), x, y, isa);
}

void globalMaxPoolingGradient(const GlobalPoolingShape& shape, std::span<const float> x,
                              std::span<const float> y, std::span<const float> dy,
                              std::span<float> dx, VectorIsa isa) {
    maxPoolingGradient(asOneWindow(shape), x, y, dy, dx, isa);
}

void globalAveragePooling(const GlobalPoolingShape& shape, std::span<const float> x,
                          std::span<float> y, VectorIsa isa) {
    LS_CHECK(x.size() == shape.samples * shape.places * shape.channels &&
                 y.size() == shape.samples * shape.channels && shape.places > 0,
             "a pooling's operands must be as large as its shape says");
    // In blocks of rows, as these sums are: there may be many more places than below a window.
    for (std::size_t n = 0; n < shape.samples; ++n)
        kernelsFor(isa).columnSums(x.data() + n * shape.places * shape.channels, shape.places,
                                   shape.channels, y.data() + n * shape.channels);
    runLoop<divideLoop>(isa, y.data(), static_cast<float>(shape.places), y.size());
}

void globalAveragePoolingGradient(const GlobalPoolingShape& shape, std::span<const float> dy,
                                  std::span<float> dx, VectorIsa isa) {
    averagePoolingGradient(asOneWindow(shape), dy, dx, isa);
}

}  // namespace lockstep::tensor
