// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "core/program/cpu/kernels.h"
#include "core/program/cpu/shapes.h"
#include "core/tensor/cpu/layers/batch_normalization.h"

namespace lockstep::program {

namespace {

using model::BatchNormalization;

/// Sums over a batch as they travel between replicas: two of each channel, then the count of
/// places.
struct ChannelSums {
    ChannelSums(std::span<double> all, std::size_t channels)
        : first(all.first(channels)),
          second(all.subspan(channels, channels)),
          count(all[2 * channels]) {}

    std::span<double> first;
    std::span<double> second;
    double& count;
};

/// A batch normalisation's sizes, and where its tensors lie.
struct BatchNorm {
    explicit BatchNorm(const KernelSource& source)
        : operation(std::get<BatchNormalization>(source.node().operation)),
          image(source.inputShape()) {
        std::size_t next = 0;
        if (operation.hasScale) weight = source.offset(next++);
        if (operation.hasCenter) bias = source.offset(next++);
        trains = next > 0 && source.tensor(0).isTrainable;
        runningMean = source.offset(next++);
        runningVariance = source.offset(next);
    }

    [[nodiscard]] std::size_t rows(const Frame& frame) const {
        return static_cast<std::size_t>(frame.rows) * image.places();
    }
    [[nodiscard]] tensor::ConstMatrix matrix(const Frame& frame, const Place& place) const {
        return {place.read(frame), rows(frame), image.channels};
    }
    [[nodiscard]] tensor::Matrix result(const Frame& frame, const Place& place) const {
        return {place.write(frame), rows(frame), image.channels};
    }
    [[nodiscard]] std::span<const float> part(const float* flat,
                                              const std::optional<std::size_t>& offset) const {
        return offset ? std::span(flat + *offset, image.channels) : std::span<const float>();
    }
    /// With the moments that forward kept.
    [[nodiscard]] tensor::Normalization with(const Frame& frame, const float* moments) const {
        return {.mean = {moments, image.channels},
                .inverseDeviation = {moments + image.channels, image.channels},
                .weight = part(frame.parameters, weight),
                .bias = part(frame.parameters, bias)};
    }

    BatchNormalization operation;
    ImageShape image;
    std::optional<std::size_t> weight{};
    std::optional<std::size_t> bias{};
    bool trains = false;  ///< Weight and bias, where there are any.
    std::size_t runningMean = 0;
    std::size_t runningVariance = 0;
};

Kernel batchSums(const KernelSource& source) {
    return
        [norm = BatchNorm(source), x = source.read(0), sums = source.write()](const Frame& frame) {
            ChannelSums into(sums.doubles(frame), norm.image.channels);
            tensor::batchSums(norm.matrix(frame, x), into.first, into.second);
            into.count = static_cast<double>(norm.rows(frame));
        };
}

/// running = momentum * running + (1 - momentum) * now.
void follow(float* running, std::span<const float> now, float momentum) {
    for (std::size_t c = 0; c < now.size(); ++c)
        running[c] = momentum * running[c] + (1 - momentum) * now[c];
}

Kernel normalizeBatch(const KernelSource& source) {
    const model::Activation fused = source.instruction().fused;
    const bool isRelu = fused.function == model::Function::Relu;
    return [norm = BatchNorm(source), x = source.read(0), sums = source.read(1),
            y = source.write(0), moments = source.write(1), isRelu,
            activate = isRelu ? nullptr : inPlace(fused),
            variance = std::vector<float>()](const Frame& frame) mutable {
        const std::size_t channels = norm.image.channels;
        const ChannelSums from(sums.doubles(frame), channels);
        float* kept = moments.write(frame);
        variance.resize(channels);
        tensor::batchMoments(from.first, from.second, std::max(from.count, 1.0),
                             norm.operation.epsilon, {kept, channels}, variance,
                             {kept + channels, channels});
        if (from.count > 0) {  // a replica alone may have no samples in a small last batch
            follow(frame.statistics + norm.runningMean, {kept, channels}, norm.operation.momentum);
            follow(frame.statistics + norm.runningVariance, variance, norm.operation.momentum);
        }
        const tensor::Matrix out = norm.result(frame, y);
        tensor::normalize(norm.matrix(frame, x), norm.with(frame, kept), isRelu, out);
        if (activate) activate(out.data, out.size());
    };
}

/// Without training: what the statistics say is what the batch is taken to be.
Kernel normalizeRunning(const KernelSource& source) {
    const model::Activation fused = source.instruction().fused;
    const bool isRelu = fused.function == model::Function::Relu;
    return [norm = BatchNorm(source), x = source.read(0), y = source.write(0), isRelu,
            activate = isRelu ? nullptr : inPlace(fused),
            inverse = std::vector<float>()](const Frame& frame) mutable {
        const std::size_t channels = norm.image.channels;
        const float* variance = frame.statistics + norm.runningVariance;
        inverse.resize(channels);
        for (std::size_t c = 0; c < channels; ++c)
            inverse[c] = 1 / std::sqrt(variance[c] + norm.operation.epsilon);
        const tensor::Normalization with{.mean = {frame.statistics + norm.runningMean, channels},
                                         .inverseDeviation = inverse,
                                         .weight = norm.part(frame.parameters, norm.weight),
                                         .bias = norm.part(frame.parameters, norm.bias)};
        const tensor::Matrix out = norm.result(frame, y);
        tensor::normalize(norm.matrix(frame, x), with, isRelu, out);
        if (activate) activate(out.data, out.size());
    };
}

/// The sums of this replica are its gradients of bias and weight, too.
Kernel gradientSums(const KernelSource& source) {
    return [norm = BatchNorm(source), dy = source.read(0), x = source.read(1),
            moments = source.read(2), sums = source.write()](const Frame& frame) {
        ChannelSums into(sums.doubles(frame), norm.image.channels);
        tensor::batchGradientSums(norm.matrix(frame, dy), norm.matrix(frame, x), {},
                                  norm.with(frame, moments.read(frame)), into.first, into.second);
        into.count = static_cast<double>(norm.rows(frame));
        if (!norm.trains) return;
        const auto toGradient = [&frame](std::span<const double> from, std::size_t offset) {
            std::ranges::transform(from, frame.gradients + offset,
                                   [](double value) { return static_cast<float>(value); });
        };
        if (norm.bias) toGradient(into.first, *norm.bias);
        if (norm.weight) toGradient(into.second, *norm.weight);
    };
}

Kernel batchInputGradient(const KernelSource& source) {
    return [norm = BatchNorm(source), dy = source.read(0), x = source.read(1),
            moments = source.read(2), sums = source.read(3),
            dx = source.write()](const Frame& frame) {
        const ChannelSums from(sums.doubles(frame), norm.image.channels);
        tensor::batchInputGradient(norm.matrix(frame, dy), norm.matrix(frame, x), {},
                                   norm.with(frame, moments.read(frame)), from.first, from.second,
                                   std::max(from.count, 1.0), norm.result(frame, dx));
    };
}

}  // namespace

Result<Kernel> makeBatchNormalizationKernel(const KernelSource& source) {
    switch (source.action()) {
        case Action::BatchSums:
            return batchSums(source);
        case Action::GradientSums:
            return gradientSums(source);
        case Action::InputGradient:
            return batchInputGradient(source);
        default:
            return source.program().mode == Program::Mode::Training ? normalizeBatch(source)
                                                                    : normalizeRunning(source);
    }
}

}  // namespace lockstep::program
