// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/layers/group_normalization.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/check.h"
#include "core/tensor/cpu/layers/channel_loops.h"
#include "core/tensor/cpu/layers/channel_scratch.h"

// A sample is a batch of its own: the loops over channels are batch normalisation's, and what they
// find for the channels of a group is joined.

namespace lockstep::tensor {
namespace {

/// Two sums of each channel of a sample, in memory of the thread that is kept for the next call.
struct ChannelSums {
    explicit ChannelSums(std::size_t channels) {
        thread_local std::vector<double> memory;
        memory.resize(std::max(memory.size(), 2 * channels));
        one = memory.data();
        other = memory.data() + channels;
    }
    double* one;
    double* other;
};

/// Sums over the channels of a group, each times its weight.
struct GroupSums {
    double one = 0;
    double other = 0;

    GroupSums(const ChannelSums& sums, std::span<const float> weight, std::size_t first,
              std::size_t end) {
        for (std::size_t c = first; c < end; ++c) {
            const double factor = weight.empty() ? 1.0 : static_cast<double>(weight[c]);
            one += factor * sums.one[c];
            other += factor * sums.other[c];
        }
    }
};

std::size_t channelsOfGroup(const GroupShape& shape) {
    LS_CHECK(shape.groups > 0 && shape.channels % shape.groups == 0,
             "groups have to divide the channels");
    return shape.channels / shape.groups;
}

double countOf(const GroupShape& shape) {
    return static_cast<double>(shape.places * channelsOfGroup(shape));
}

void checkChannels(const GroupShape& shape, std::span<const float> values) {
    LS_CHECK(values.empty() || values.size() == shape.channels,
             "a value for each channel is needed");
}

/// Of one sample: sums of dy and of dy * xhat.
void gradientSums(const GroupShape& shape, const float* dy, const float* x, const float* mean,
                  const float* inverse, const ChannelSums& sums, VectorIsa isa) {
    const std::size_t perGroup = channelsOfGroup(shape);
    const ChannelScratch scratch(shape.channels);
    const float* const means = scratch.fill(0, [&](std::size_t c) { return mean[c / perGroup]; });
    const float* const inverses =
        scratch.fill(1, [&](std::size_t c) { return inverse[c / perGroup]; });
    const channel_loops::GradientRows rows{dy, x, nullptr, means, inverses};
    runLoop<channel_loops::gradientSumsLoop>(isa, rows, shape.places, shape.channels, sums.one,
                                             sums.other);
}

/// Of one sample: mean and inverse deviation of each group.
void moments(const GroupShape& shape, const float* x, float epsilon, float* mean, float* inverse,
             VectorIsa isa) {
    const std::size_t perGroup = channelsOfGroup(shape);
    const ChannelSums sums(shape.channels);
    runLoop<channel_loops::sumsLoop>(isa, x, shape.places, shape.channels, sums.one, sums.other);
    for (std::size_t g = 0; g < shape.groups; ++g) {
        const GroupSums group(sums, {}, g * perGroup, (g + 1) * perGroup);
        const double average = group.one / countOf(shape);
        const double spread = group.other / countOf(shape) - average * average;
        // Rounding may take it below 0; NaN is neither.
        const double variance = spread < 0 ? 0.0 : spread;
        mean[g] = static_cast<float>(average);
        inverse[g] = static_cast<float>(1.0 / std::sqrt(variance + static_cast<double>(epsilon)));
    }
}

/// What the gradients of one sample's channels are made of. The sums of a group are found again for
/// each of its channels: they are few beside the places.
channel_loops::ChannelGradient gradientChannels(const GroupShape& shape,
                                                std::span<const float> weight,
                                                const ChannelSums& sums, const float* mean,
                                                const float* inverse,
                                                const ChannelScratch& scratch) {
    const std::size_t perGroup = channelsOfGroup(shape);
    const auto inverseOf = [&](std::size_t c) {
        return static_cast<double>(inverse[c / perGroup]);
    };
    const auto groupOf = [&](std::size_t c) {
        const std::size_t first = c / perGroup * perGroup;
        return GroupSums(sums, weight, first, first + perGroup);
    };
    return {.mean = scratch.fill(0, [&](std::size_t c) { return mean[c / perGroup]; }),
            .scale = scratch.fill(1,
                                  [&](std::size_t c) {
                                      return inverse[c / perGroup] *
                                             (weight.empty() ? 1.0F : weight[c]);
                                  }),
            .offset = scratch.fill(2,
                                   [&](std::size_t c) {
                                       return static_cast<float>(inverseOf(c) * groupOf(c).one /
                                                                 countOf(shape));
                                   }),
            .slope = scratch.fill(3, [&](std::size_t c) {
                return static_cast<float>(inverseOf(c) * inverseOf(c) * groupOf(c).other /
                                          countOf(shape));
            })};
}

}  // namespace

void groupNormalize(const GroupShape& shape, std::span<const float> x,
                    const GroupNormalization& with, std::span<float> mean,
                    std::span<float> inverseDeviation, std::span<float> y, VectorIsa isa) {
    LS_CHECK(x.size() == shape.size() && y.size() == shape.size() &&
                 mean.size() == shape.samples * shape.groups &&
                 inverseDeviation.size() == mean.size(),
             "a normalisation's operands must be as large as its shape says");
    checkChannels(shape, with.weight);
    checkChannels(shape, with.bias);
    const std::size_t perGroup = channelsOfGroup(shape);
    const std::size_t image = shape.places * shape.channels;
    for (std::size_t n = 0; n < shape.samples; ++n) {
        float* const means = mean.data() + n * shape.groups;
        float* const inverses = inverseDeviation.data() + n * shape.groups;
        moments(shape, x.data() + n * image, with.epsilon, means, inverses, isa);
        const ChannelScratch scratch(shape.channels);
        const channel_loops::ChannelScale channels{
            scratch.fill(0, [&](std::size_t c) { return means[c / perGroup]; }),
            scratch.fill(1,
                         [&](std::size_t c) {
                             return inverses[c / perGroup] *
                                    (with.weight.empty() ? 1.0F : with.weight[c]);
                         }),
            scratch.fill(2,
                         [&](std::size_t c) { return with.bias.empty() ? 0.0F : with.bias[c]; })};
        runLoop<channel_loops::normalizeLoop<false>>(isa, x.data() + n * image, channels,
                                                     y.data() + n * image, scratch.width(), image);
    }
}

void groupNormalizeGradient(const GroupShape& shape, std::span<const float> dy,
                            std::span<const float> x, const GroupNormalization& with,
                            std::span<const float> mean, std::span<const float> inverseDeviation,
                            std::span<float> dx, VectorIsa isa) {
    LS_CHECK(x.size() == shape.size() && dy.size() == shape.size() && dx.size() == shape.size() &&
                 mean.size() == shape.samples * shape.groups &&
                 inverseDeviation.size() == mean.size(),
             "a normalisation's operands must be as large as its shape says");
    checkChannels(shape, with.weight);
    const std::size_t image = shape.places * shape.channels;
    const ChannelSums sums(shape.channels);
    for (std::size_t n = 0; n < shape.samples; ++n) {
        const float* const means = mean.data() + n * shape.groups;
        const float* const inverses = inverseDeviation.data() + n * shape.groups;
        gradientSums(shape, dy.data() + n * image, x.data() + n * image, means, inverses, sums,
                     isa);
        const ChannelScratch scratch(shape.channels);
        const auto channels = gradientChannels(shape, with.weight, sums, means, inverses, scratch);
        runLoop<channel_loops::inputGradientLoop<false>>(
            isa, dy.data() + n * image, x.data() + n * image, static_cast<const float*>(nullptr),
            channels, dx.data() + n * image, scratch.width(), image);
    }
}

void groupNormalizeWeightGradient(const GroupShape& shape, std::span<const float> dy,
                                  std::span<const float> x, std::span<const float> mean,
                                  std::span<const float> inverseDeviation, std::span<float> dWeight,
                                  std::span<float> dBias, VectorIsa isa) {
    LS_CHECK(x.size() == shape.size() && dy.size() == shape.size() &&
                 mean.size() == shape.samples * shape.groups &&
                 inverseDeviation.size() == mean.size(),
             "a normalisation's operands must be as large as its shape says");
    checkChannels(shape, dWeight);
    checkChannels(shape, dBias);
    const std::size_t image = shape.places * shape.channels;
    const ChannelSums sums(shape.channels);
    thread_local std::vector<double> totals;
    totals.assign(2 * shape.channels, 0.0);
    for (std::size_t n = 0; n < shape.samples; ++n) {
        gradientSums(shape, dy.data() + n * image, x.data() + n * image,
                     mean.data() + n * shape.groups, inverseDeviation.data() + n * shape.groups,
                     sums, isa);
        for (std::size_t c = 0; c < shape.channels; ++c) {
            totals[c] += sums.one[c];
            totals[shape.channels + c] += sums.other[c];
        }
    }
    for (std::size_t c = 0; c < dBias.size(); ++c)
        dBias[c] = static_cast<float>(totals[c]);
    for (std::size_t c = 0; c < dWeight.size(); ++c)
        dWeight[c] = static_cast<float>(totals[shape.channels + c]);
}

}  // namespace lockstep::tensor
