// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/layer_normalization.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/check.h"
#include "core/tensor/cpu/layers/channel_loops.h"
#include "core/tensor/cpu/layers/row_sums.h"

namespace lockstep::tensor {
namespace {

#define LS_INLINED __attribute__((always_inline))

struct Shape {
    std::size_t rows;
    std::size_t columns;
};

/// Null where there is none.
struct Weights {
    const float* weight;
    const float* bias;
};

LS_LOOP void statisticsLoop(const float* x, Shape shape, float epsilon, bool takesMean, float* mean,
                            float* inverse) {
    const auto count = static_cast<float>(shape.columns);
    for (std::size_t r = 0; r < shape.rows; ++r, x += shape.columns) {
        const float* const row = x;
        float center = 0;
        if (takesMean)
            center =
                row_sums::sumOf(shape.columns, [row](std::size_t i) LS_INLINED { return row[i]; }) /
                count;
        const float squares = row_sums::sumOf(shape.columns, [=](std::size_t i) LS_INLINED {
            const float difference = row[i] - center;
            return difference * difference;
        });
        mean[r] = center;
        inverse[r] = 1.0F / std::sqrt(squares / count + epsilon);
    }
}

template <bool kWeight, bool kBias>
LS_LOOP void normalizeLoop(const float* x, Shape shape, Weights with, const float* mean,
                           const float* inverse, float* y) {
    for (std::size_t r = 0; r < shape.rows; ++r, x += shape.columns, y += shape.columns) {
        const float center = mean[r];
        const float factor = inverse[r];
        LS_ELEMENTWISE
        for (std::size_t c = 0; c < shape.columns; ++c) {
            float value = (x[c] - center) * factor;
            if constexpr (kWeight) value *= with.weight[c];
            if constexpr (kBias) value += with.bias[c];
            y[c] = value;
        }
    }
}

/// dx = inverse * (g - mean of g - xhat * mean of g * xhat), g = dy * weight.
template <bool kWeight>
LS_LOOP void gradientLoop(const float* dy, const float* x, Shape shape, const float* weight,
                          bool takesMean, const float* mean, const float* inverse, float* dx) {
    const auto count = static_cast<float>(shape.columns);
    for (std::size_t r = 0; r < shape.rows; ++r) {
        const std::size_t begin = r * shape.columns;
        const float* const gradients = dy + begin;
        const float* const row = x + begin;
        float* const to = dx + begin;
        const float center = mean[r];
        const float factor = inverse[r];
        const auto weighted = [=](std::size_t c) LS_INLINED {
            return kWeight ? gradients[c] * weight[c] : gradients[c];
        };
        const auto xhat = [=](std::size_t c) LS_INLINED { return (row[c] - center) * factor; };
        const float slope =
            row_sums::sumOf(shape.columns,
                            [=](std::size_t c) LS_INLINED { return weighted(c) * xhat(c); }) /
            count;
        float offset = 0;
        if (takesMean)
            offset = row_sums::sumOf(shape.columns,
                                     [=](std::size_t c) LS_INLINED { return weighted(c); }) /
                     count;
        LS_ELEMENTWISE
        for (std::size_t c = 0; c < shape.columns; ++c)
            to[c] = factor * (weighted(c) - offset - xhat(c) * slope);
    }
}

/// Operands of the sums over rows.
struct Operands {
    const float* dy;
    const float* x;
    const float* mean;
    const float* inverse;
};

LS_LOOP void addTile(const Operands& from, std::size_t stride, std::size_t rows, std::size_t width,
                     double* sumDy, double* sumDyXhat) {
    using channel_loops::kTile;
    const Operands o = from;
    double s[kTile] = {};
    double q[kTile] = {};
    for (std::size_t r = 0; r < rows; ++r) {
        const float* dy = o.dy + r * stride;
        const float* x = o.x + r * stride;
        const float center = o.mean[r];
        const float factor = o.inverse[r];
        for (std::size_t c = 0; c < width; ++c) {
            const auto gradient = static_cast<double>(dy[c]);
            s[c] += gradient;
            q[c] += gradient * static_cast<double>((x[c] - center) * factor);
        }
    }
    for (std::size_t c = 0; c < width; ++c) {
        sumDy[c] += s[c];
        sumDyXhat[c] += q[c];
    }
}

LS_LOOP void weightSumsLoop(Operands from, Shape shape, double* sumDy, double* sumDyXhat) {
    using channel_loops::kTile;
    const std::size_t columns = shape.columns;
    channel_loops::inBlocks(
        shape.rows, columns, sumDy, sumDyXhat,
        [from, columns](std::size_t at, std::size_t rows, std::size_t, std::size_t width, double* s,
                        double* q) LS_INLINED {
            const std::size_t row = at / columns;
            const Operands part{from.dy + at, from.x + at, from.mean + row, from.inverse + row};
            // A width that is known keeps the sums in registers.
            if (width == kTile)
                addTile(part, columns, rows, kTile, s, q);
            else
                addTile(part, columns, rows, width, s, q);
        });
}

void checkRows(ConstMatrix x, std::size_t means, std::size_t inverses) {
    LS_CHECK(means == x.rows && inverses == x.rows, "a mean and a deviation of each row is needed");
}

}  // namespace

void layerNormalize(ConstMatrix x, const RowNormalization& with, std::span<float> mean,
                    std::span<float> inverseDeviation, Matrix y, VectorIsa isa) {
    LS_CHECK(x.rows == y.rows && x.columns == y.columns, "y must be shaped as x");
    LS_CHECK((with.weight.empty() || with.weight.size() == x.columns) &&
                 (with.bias.empty() || with.bias.size() == x.columns),
             "a value for each column is needed");
    checkRows(x, mean.size(), inverseDeviation.size());
    const Shape shape{x.rows, x.columns};
    const Weights weights{with.weight.data(), with.bias.data()};
    runLoop<statisticsLoop>(isa, x.data, shape, with.epsilon, !with.isRootMeanSquare, mean.data(),
                            inverseDeviation.data());
    const auto normalize = [&]<auto kLoop>() {
        runLoop<kLoop>(isa, x.data, shape, weights, static_cast<const float*>(mean.data()),
                       static_cast<const float*>(inverseDeviation.data()), y.data);
    };
    if (!with.weight.empty() && !with.bias.empty())
        normalize.operator()<normalizeLoop<true, true>>();
    else if (!with.weight.empty())
        normalize.operator()<normalizeLoop<true, false>>();
    else if (!with.bias.empty())
        normalize.operator()<normalizeLoop<false, true>>();
    else
        normalize.operator()<normalizeLoop<false, false>>();
}

void layerNormalizeGradient(ConstMatrix dy, ConstMatrix x, const RowNormalization& with,
                            std::span<const float> mean, std::span<const float> inverseDeviation,
                            Matrix dx, VectorIsa isa) {
    LS_CHECK(dy.size() == x.size() && dx.size() == x.size(), "dy and dx must be shaped as x");
    LS_CHECK(with.weight.empty() || with.weight.size() == x.columns,
             "a value for each column is needed");
    checkRows(x, mean.size(), inverseDeviation.size());
    const Shape shape{x.rows, x.columns};
    const auto run = [&]<auto kLoop>() {
        runLoop<kLoop>(isa, dy.data, x.data, shape, with.weight.data(), !with.isRootMeanSquare,
                       mean.data(), inverseDeviation.data(), dx.data);
    };
    if (with.weight.empty())
        run.operator()<gradientLoop<false>>();
    else
        run.operator()<gradientLoop<true>>();
}

void layerNormalizeWeightGradient(ConstMatrix dy, ConstMatrix x, std::span<const float> mean,
                                  std::span<const float> inverseDeviation, std::span<float> dWeight,
                                  std::span<float> dBias, VectorIsa isa) {
    LS_CHECK(dy.size() == x.size(), "dy must be shaped as x");
    LS_CHECK((dWeight.empty() || dWeight.size() == x.columns) &&
                 (dBias.empty() || dBias.size() == x.columns),
             "a value for each column is needed");
    checkRows(x, mean.size(), inverseDeviation.size());
    thread_local std::vector<double> sums;
    sums.assign(2 * x.columns, 0.0);
    double* const sumDyXhat = sums.data() + x.columns;
    runLoop<weightSumsLoop>(isa, Operands{dy.data, x.data, mean.data(), inverseDeviation.data()},
                            Shape{x.rows, x.columns}, sums.data(), sumDyXhat);
    for (std::size_t c = 0; c < dBias.size(); ++c)
        dBias[c] = static_cast<float>(sums[c]);
    for (std::size_t c = 0; c < dWeight.size(); ++c)
        dWeight[c] = static_cast<float>(sumDyXhat[c]);
}

}  // namespace lockstep::tensor
