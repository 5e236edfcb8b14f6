// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <optional>
#include <variant>

#include "core/program/cpu/norm_tensors.h"
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

/// A batch normalisation, and where its statistics lie.
struct BatchNorm : NormTensors {
    explicit BatchNorm(const KernelSource& source)
        : BatchNorm(source, std::get<BatchNormalization>(source.node().operation)) {}

    /// With the moments that forward kept.
    [[nodiscard]] tensor::Normalization with(const Frame& frame, const float* moments) const {
        return {.mean = {moments, channels()},
                .inverseDeviation = {moments + channels(), channels()},
                .weight = weight(frame),
                .bias = bias(frame)};
    }

    BatchNormalization operation;
    bool trains;  ///< Weight and bias, where there are any.
    std::size_t runningMean;
    std::size_t runningVariance;

private:
    BatchNorm(const KernelSource& source, const BatchNormalization& norm)
        : NormTensors(source, norm.hasScale, norm.hasCenter),
          operation(norm),
          trains(count() > 0 && source.tensor(0).isTrainable),
          runningMean(source.offset(count())),
          runningVariance(source.offset(count() + 1)) {}
};

Kernel batchSums(const KernelSource& source) {
    return
        [norm = BatchNorm(source), x = source.read(0), sums = source.write()](const Frame& frame) {
            ChannelSums into(sums.doubles(frame), norm.channels());
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
        const std::size_t channels = norm.channels();
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

/// What is divided by where the running statistics are taken for the batch's.
void invertRunning(const BatchNorm& norm, const Frame& frame, std::vector<float>& inverse) {
    const float* variance = frame.statistics + norm.runningVariance;
    inverse.resize(norm.channels());
    for (std::size_t c = 0; c < inverse.size(); ++c)
        inverse[c] = 1 / std::sqrt(variance[c] + norm.operation.epsilon);
}

/// Without training: what the statistics say is what the batch is taken to be.
Kernel normalizeRunning(const KernelSource& source) {
    const model::Activation fused = source.instruction().fused;
    const bool isRelu = fused.function == model::Function::Relu;
    return [norm = BatchNorm(source), x = source.read(0), y = source.write(0), isRelu,
            activate = isRelu ? nullptr : inPlace(fused),
            inverse = std::vector<float>()](const Frame& frame) mutable {
        invertRunning(norm, frame, inverse);
        const tensor::Normalization with{
            .mean = {frame.statistics + norm.runningMean, norm.channels()},
            .inverseDeviation = inverse,
            .weight = norm.weight(frame),
            .bias = norm.bias(frame)};
        const tensor::Matrix out = norm.result(frame, y);
        tensor::normalize(norm.matrix(frame, x), with, isRelu, out);
        if (activate) activate(out.data, out.size());
    };
}

/// Of that: each channel times what it was multiplied by.
Kernel runningInputGradient(const KernelSource& source) {
    return [norm = BatchNorm(source), dy = source.read(0), dx = source.write(),
            zeros = std::vector<float>(),
            inverse = std::vector<float>()](const Frame& frame) mutable {
        invertRunning(norm, frame, inverse);
        zeros.resize(norm.channels());
        tensor::normalize(
            norm.matrix(frame, dy),
            {.mean = zeros, .inverseDeviation = inverse, .weight = norm.weight(frame), .bias = {}},
            false, norm.result(frame, dx));
    };
}

/// What forward gave where relu was fused, read as the last operand; empty otherwise.
class Mask {
public:
    explicit Mask(const KernelSource& source) {
        if (source.instruction().fused.function == model::Function::Relu)
            y_ = source.read(source.instruction().reads.size() - 1);
    }
    [[nodiscard]] tensor::ConstMatrix of(const BatchNorm& norm, const Frame& frame) const {
        return y_ ? norm.matrix(frame, *y_) : tensor::ConstMatrix();
    }

private:
    std::optional<Place> y_;
};

/// The sums of this replica are its gradients of bias and weight, too.
Kernel gradientSums(const KernelSource& source) {
    return
        [norm = BatchNorm(source), dy = source.read(0), x = source.read(1),
         moments = source.read(2), mask = Mask(source), sums = source.write()](const Frame& frame) {
            ChannelSums into(sums.doubles(frame), norm.channels());
            tensor::batchGradientSums(norm.matrix(frame, dy), norm.matrix(frame, x),
                                      mask.of(norm, frame), norm.with(frame, moments.read(frame)),
                                      into.first, into.second);
            into.count = static_cast<double>(norm.rows(frame));
            if (!norm.trains) return;
            const auto toGradient = [](std::span<const double> from, std::span<float> to) {
                if (to.empty()) return;  // the operation has no such tensor
                std::ranges::transform(from, to.begin(),
                                       [](double value) { return static_cast<float>(value); });
            };
            toGradient(into.first, norm.biasGradient(frame));
            toGradient(into.second, norm.weightGradient(frame));
        };
}

Kernel batchInputGradient(const KernelSource& source) {
    return [norm = BatchNorm(source), dy = source.read(0), x = source.read(1),
            moments = source.read(2), sums = source.read(3), mask = Mask(source),
            dx = source.write()](const Frame& frame) {
        const ChannelSums from(sums.doubles(frame), norm.channels());
        tensor::batchInputGradient(norm.matrix(frame, dy), norm.matrix(frame, x),
                                   mask.of(norm, frame), norm.with(frame, moments.read(frame)),
                                   from.first, from.second, std::max(from.count, 1.0),
                                   norm.result(frame, dx));
    };
}

}  // namespace

Result<Kernel> makeBatchNormalizationKernel(const KernelSource& source) {
    const Instruction& instruction = source.instruction();
    const bool keepsMoments = instruction.writes.size() > 1;
    const bool readsMoments = instruction.reads.size() > 1;
    return byAction(source,
                    {.forward = keepsMoments ? normalizeBatch : normalizeRunning,
                     .inputGradient = readsMoments ? batchInputGradient : runningInputGradient,
                     .batchSums = batchSums,
                     .gradientSums = gradientSums});
}

}  // namespace lockstep::program
