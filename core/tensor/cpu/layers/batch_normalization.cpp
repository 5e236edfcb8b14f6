// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/batch_normalization.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/tensor/cpu/layers/channel_loops.h"
#include "core/tensor/cpu/layers/channel_scratch.h"

namespace lockstep::tensor {
namespace {

using channel_loops::ChannelGradient;
using channel_loops::ChannelScale;
using channel_loops::GradientRows;

void checkChannels(const Normalization& with, std::size_t channels) {
    LS_CHECK(with.mean.size() == channels && with.inverseDeviation.size() == channels &&
                 (with.weight.empty() || with.weight.size() == channels) &&
                 (with.bias.empty() || with.bias.size() == channels),
             "a value for each channel is needed");
}

float weightOf(const Normalization& with, std::size_t channel) {
    return with.weight.empty() ? 1.0F : with.weight[channel];
}

}  // namespace

void batchSums(ConstMatrix x, std::span<double> sum, std::span<double> sumOfSquares,
               VectorIsa isa) {
    LS_CHECK(sum.size() == x.columns && sumOfSquares.size() == x.columns,
             "a sum for each channel is needed");
    runLoop<channel_loops::sumsLoop>(isa, x.data, x.rows, x.columns, sum.data(),
                                     sumOfSquares.data());
}

void batchMoments(std::span<const double> sum, std::span<const double> sumOfSquares, double count,
                  float epsilon, std::span<float> mean, std::span<float> variance,
                  std::span<float> inverseDeviation) {
    LS_CHECK(mean.size() == sum.size() && sumOfSquares.size() == sum.size() &&
                 variance.size() == sum.size() && inverseDeviation.size() == sum.size(),
             "a value for each channel is needed");
    for (std::size_t c = 0; c < sum.size(); ++c) {
        const double average = sum[c] / count;
        const double spread = std::max(sumOfSquares[c] / count - average * average, 0.0);
        // NaN is not above 0; it must not become a variance of 0.
        const double biased = std::isnan(sumOfSquares[c]) ? sumOfSquares[c] : spread;
        mean[c] = static_cast<float>(average);
        variance[c] = static_cast<float>(biased);
        inverseDeviation[c] =
            static_cast<float>(1.0 / std::sqrt(biased + static_cast<double>(epsilon)));
    }
}

void normalize(ConstMatrix x, const Normalization& with, bool relu, Matrix y, VectorIsa isa) {
    LS_CHECK(x.size() == y.size(), "y must be shaped as x");
    checkChannels(with, x.columns);
    const ChannelScratch scratch(x.columns);
    const auto mean = scratch.fill(0, [&](std::size_t c) { return with.mean[c]; });
    const auto scale = scratch.fill(
        1, [&](std::size_t c) { return with.inverseDeviation[c] * weightOf(with, c); });
    const auto bias =
        scratch.fill(2, [&](std::size_t c) { return with.bias.empty() ? 0.0F : with.bias[c]; });
    const ChannelScale channels{mean, scale, bias};
    if (relu)
        runLoop<channel_loops::normalizeLoop<true>>(isa, x.data, channels, y.data, scratch.width(),
                                                    x.size());
    else
        runLoop<channel_loops::normalizeLoop<false>>(isa, x.data, channels, y.data, scratch.width(),
                                                     x.size());
}

void batchGradientSums(ConstMatrix dy, ConstMatrix x, ConstMatrix y, const Normalization& with,
                       std::span<double> sumDy, std::span<double> sumDyXhat, VectorIsa isa) {
    LS_CHECK(dy.size() == x.size() && (y.data == nullptr || y.size() == x.size()),
             "dy and y must be shaped as x");
    LS_CHECK(sumDy.size() == x.columns && sumDyXhat.size() == x.columns,
             "a sum for each channel is needed");
    checkChannels(with, x.columns);
    const ChannelScratch scratch(x.columns);
    const auto mean = scratch.fill(0, [&](std::size_t c) { return with.mean[c]; });
    const auto inverse = scratch.fill(1, [&](std::size_t c) { return with.inverseDeviation[c]; });
    const GradientRows rows{dy.data, x.data, y.data, mean, inverse};
    runLoop<channel_loops::gradientSumsLoop>(isa, rows, x.rows, x.columns, sumDy.data(),
                                             sumDyXhat.data());
}

void batchInputGradient(ConstMatrix dy, ConstMatrix x, ConstMatrix y, const Normalization& with,
                        std::span<const double> sumDy, std::span<const double> sumDyXhat,
                        double count, Matrix dx, VectorIsa isa) {
    LS_CHECK(dy.size() == x.size() && dx.size() == x.size() &&
                 (y.data == nullptr || y.size() == x.size()),
             "dy, dx and y must be shaped as x");
    LS_CHECK(sumDy.size() == x.columns && sumDyXhat.size() == x.columns,
             "a sum for each channel is needed");
    checkChannels(with, x.columns);
    const auto factor = [&](std::size_t c) {
        return static_cast<double>(weightOf(with, c)) *
               static_cast<double>(with.inverseDeviation[c]);
    };
    const ChannelScratch scratch(x.columns);
    const auto mean = scratch.fill(0, [&](std::size_t c) { return with.mean[c]; });
    const auto scale =
        scratch.fill(1, [&](std::size_t c) { return static_cast<float>(factor(c)); });
    const auto offset = scratch.fill(
        2, [&](std::size_t c) { return static_cast<float>(factor(c) * sumDy[c] / count); });
    const auto slope = scratch.fill(3, [&](std::size_t c) {
        return static_cast<float>(factor(c) * static_cast<double>(with.inverseDeviation[c]) *
                                  sumDyXhat[c] / count);
    });
    const ChannelGradient channels{mean, scale, offset, slope};
    if (y.data == nullptr)
        runLoop<channel_loops::inputGradientLoop<false>>(isa, dy.data, x.data, y.data, channels,
                                                         dx.data, scratch.width(), x.size());
    else
        runLoop<channel_loops::inputGradientLoop<true>>(isa, dy.data, x.data, y.data, channels,
                                                        dx.data, scratch.width(), x.size());
}

}  // namespace lockstep::tensor
