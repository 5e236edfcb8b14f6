// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/elementwise.h"

#include "core/base/check.h"
#include "core/tensor/cpu/layers/folded_rows.h"

namespace lockstep::tensor {
namespace {

LS_LOOP void addLoop(const float* a, const float* b, float* y, std::size_t count) {
    LS_ELEMENTWISE
    for (std::size_t i = 0; i < count; ++i)
        y[i] = a[i] + b[i];
}

LS_LOOP void addReluLoop(const float* a, const float* b, float* y, std::size_t count) {
    LS_ELEMENTWISE
    for (std::size_t i = 0; i < count; ++i) {
        const float sum = a[i] + b[i];
        y[i] = sum < 0.0F ? 0.0F : sum;
    }
}

LS_LOOP void multiplyLoop(const float* a, const float* b, float* y, std::size_t count) {
    LS_ELEMENTWISE
    for (std::size_t i = 0; i < count; ++i)
        y[i] = a[i] * b[i];
}

LS_LOOP void multiplyGradientLoop(const float* dy, const float* a, const float* b, float* da,
                                  float* db, std::size_t count) {
    LS_ELEMENTWISE
    for (std::size_t i = 0; i < count; ++i) {
        const float gradient = dy[i];
        const float forA = gradient * b[i];
        const float forB = gradient * a[i];
        da[i] = forA;
        db[i] = forB;
    }
}

LS_LOOP void scaleLoop(const float* x, float factor, float* y, std::size_t count) {
    LS_ELEMENTWISE
    for (std::size_t i = 0; i < count; ++i)
        y[i] = x[i] * factor;
}

LS_LOOP void reluLoop(const float* x, float* y, std::size_t count) {
    LS_ELEMENTWISE
    for (std::size_t i = 0; i < count; ++i) {
        const float value = x[i];
        y[i] = value < 0.0F ? 0.0F : value;
    }
}

LS_LOOP void reluGradientLoop(const float* dy, const float* y, float* dx, std::size_t count) {
    LS_ELEMENTWISE
    for (std::size_t i = 0; i < count; ++i) {
        const float gradient = dy[i];
        dx[i] = y[i] > 0.0F ? gradient : 0.0F;
    }
}

LS_LOOP void addReluGradientsLoop(const float* a, const float* b, const float* y, float* dx,
                                  std::size_t count) {
    LS_ELEMENTWISE
    for (std::size_t i = 0; i < count; ++i) {
        const float gradient = a[i] + b[i];
        dx[i] = y[i] > 0.0F ? gradient : 0.0F;
    }
}

LS_LOOP void affineLoop(const float* x, const float* scale, const float* offset, float* y,
                        std::size_t width, std::size_t count) {
    for (std::size_t begin = 0; begin < count; begin += width) {
        const std::size_t length = count - begin < width ? count - begin : width;
        const float* from = x + begin;
        float* to = y + begin;
        LS_ELEMENTWISE
        for (std::size_t c = 0; c < length; ++c)
            to[c] = from[c] * scale[c] + offset[c];
    }
}

LS_LOOP void rowScaleLoop(const float* x, const float* scale, float* y, std::size_t width,
                          std::size_t count) {
    for (std::size_t begin = 0; begin < count; begin += width) {
        const std::size_t length = count - begin < width ? count - begin : width;
        const float* from = x + begin;
        float* to = y + begin;
        LS_ELEMENTWISE
        for (std::size_t c = 0; c < length; ++c)
            to[c] = from[c] * scale[c];
    }
}

/// `count` values for as many channels: one value stands for any number of channels.
std::size_t periodOf(std::size_t count, std::size_t channels) {
    LS_CHECK(count == 1 || count == channels, "a value for each channel is needed, or one for all");
    return count;
}

}  // namespace

void add(std::span<const float> a, std::span<const float> b, std::span<float> y, VectorIsa isa) {
    LS_CHECK(a.size() == y.size() && b.size() == y.size(), "operands must be of one size");
    runLoop<addLoop>(isa, a.data(), b.data(), y.data(), y.size());
}

void addRelu(std::span<const float> a, std::span<const float> b, std::span<float> y,
             VectorIsa isa) {
    LS_CHECK(a.size() == y.size() && b.size() == y.size(), "operands must be of one size");
    runLoop<addReluLoop>(isa, a.data(), b.data(), y.data(), y.size());
}

void multiply(std::span<const float> a, std::span<const float> b, std::span<float> y,
              VectorIsa isa) {
    LS_CHECK(a.size() == y.size() && b.size() == y.size(), "operands must be of one size");
    runLoop<multiplyLoop>(isa, a.data(), b.data(), y.data(), y.size());
}

void multiplyGradient(std::span<const float> dy, std::span<const float> a, std::span<const float> b,
                      std::span<float> da, std::span<float> db, VectorIsa isa) {
    LS_CHECK(a.size() == dy.size() && b.size() == dy.size() && da.size() == dy.size() &&
                 db.size() == dy.size(),
             "operands must be of one size");
    runLoop<multiplyGradientLoop>(isa, dy.data(), a.data(), b.data(), da.data(), db.data(),
                                  dy.size());
}

void scale(std::span<const float> x, float factor, std::span<float> y, VectorIsa isa) {
    LS_CHECK(x.size() == y.size(), "operands must be of one size");
    runLoop<scaleLoop>(isa, x.data(), factor, y.data(), y.size());
}

void reluForward(std::span<const float> x, std::span<float> y, VectorIsa isa) {
    LS_CHECK(x.size() == y.size(), "operands must be of one size");
    runLoop<reluLoop>(isa, x.data(), y.data(), y.size());
}

void reluGradient(std::span<const float> dy, std::span<const float> y, std::span<float> dx,
                  VectorIsa isa) {
    LS_CHECK(dy.size() == y.size() && dx.size() == y.size(), "operands must be of one size");
    runLoop<reluGradientLoop>(isa, dy.data(), y.data(), dx.data(), y.size());
}

void addReluGradients(std::span<const float> a, std::span<const float> b, std::span<const float> y,
                      std::span<float> dx, VectorIsa isa) {
    LS_CHECK(a.size() == y.size() && b.size() == y.size() && dx.size() == y.size(),
             "operands must be of one size");
    runLoop<addReluGradientsLoop>(isa, a.data(), b.data(), y.data(), dx.data(), y.size());
}

void affine(ConstMatrix x, std::span<const float> scale, std::span<const float> offset, Matrix y,
            VectorIsa isa) {
    LS_CHECK(x.size() == y.size(), "operands must be of one size");
    const std::size_t channels = periodOf(scale.size(), x.columns);
    LS_CHECK(offset.size() == channels, "as many offsets as scales are needed");
    const FoldedRows rows(channels);
    const FoldedValues scales(scale.data(), channels, rows);
    const FoldedValues offsets(offset.data(), channels, rows);
    runLoop<affineLoop>(isa, x.data, scales.data(), offsets.data(), y.data, channels * rows.fold,
                        x.size());
}

void affineGradient(ConstMatrix dy, std::span<const float> scale, Matrix dx, VectorIsa isa) {
    LS_CHECK(dy.size() == dx.size(), "operands must be of one size");
    const std::size_t channels = periodOf(scale.size(), dy.columns);
    const FoldedRows rows(channels);
    const FoldedValues scales(scale.data(), channels, rows);
    runLoop<rowScaleLoop>(isa, dy.data, scales.data(), dx.data, channels * rows.fold, dy.size());
}

}  // namespace lockstep::tensor
