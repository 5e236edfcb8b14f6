// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/batch_normalization.h"

#include <optional>
#include <variant>

#include "core/base/try.h"
#include "core/program/cuda/device_kernels.h"
#include "core/tensor/cuda/cuda_error.h"
#include "core/tensor/cuda/layers/channel_sums.h"

namespace lockstep::program {

namespace {

using namespace tensor::cuda;

/// A batch normalisation's sizes, and where its tensors lie.
struct DeviceBatchNorm {
    explicit DeviceBatchNorm(const DeviceKernelSource& source)
        : operation(std::get<model::BatchNormalization>(source.node().operation)) {
        const ImageShape image(source.inputShape());
        channels = image.channels;
        places = image.places();
        std::size_t next = 0;
        if (operation.hasScale) weight = source.parameter(next++);
        if (operation.hasCenter) bias = source.parameter(next++);
        trains = next > 0 && source.tensor(0).isTrainable;
        runningMean = source.offset(next++);
        runningVariance = source.offset(next);
    }

    [[nodiscard]] std::size_t rows(const DeviceFrame& frame) const {
        return rowsOf(frame) * places;
    }
    [[nodiscard]] NormalizedChannels with(const DeviceFrame& frame, const float* moments) const {
        return {.rows = rows(frame),
                .channels = static_cast<std::uint32_t>(channels),
                .moments = moments,
                .weight = weight ? weight->read(frame) : nullptr,
                .bias = bias ? bias->read(frame) : nullptr};
    }
    [[nodiscard]] ChannelMoments moments(const DeviceFrame& frame, const double* sums,
                                         float* to) const {
        return {.epsilon = operation.epsilon,
                .momentum = operation.momentum,
                .channels = static_cast<std::uint32_t>(channels),
                .sums = sums,
                .moments = to,
                .runningMean = frame.statistics + runningMean,
                .runningVariance = frame.statistics + runningVariance};
    }
    /// Where sums of each channel travel between replicas: two of each, then the count.
    [[nodiscard]] ColumnSums sums(const DeviceFrame& frame, const Place& place) const {
        double* begin = place.doubles(frame).data();
        return {.first = begin, .second = begin + channels, .count = begin + 2 * channels};
    }

    model::BatchNormalization operation;
    std::size_t channels = 1;
    std::size_t places = 1;
    std::optional<TensorPlace> weight{};
    std::optional<TensorPlace> bias{};
    bool trains = false;  ///< Weight and bias, where there are any.
    std::size_t runningMean = 0;
    std::size_t runningVariance = 0;
};

DeviceKernel batchSums(DeviceKernelSource& source) {
    const DeviceBatchNorm norm(source);
    const std::size_t scratch =
        source.reserve(columnSumsScratch(source.maxBatch() * norm.places, norm.channels));
    return [norm, scratch, x = source.read(0),
            sums = source.write()](const DeviceFrame& frame) -> Result<void> {
        launchColumnSumsOf(frame.stream,
                           {.kind = ColumnTerms::Kind::Values,
                            .columns = static_cast<std::uint32_t>(norm.channels),
                            .x = x.read(frame),
                            .rows = norm.rows(frame)},
                           norm.sums(frame, sums), scratchAt<double>(frame, scratch));
        return {};
    };
}

DeviceKernel normalizeBatch(DeviceKernelSource& source) {
    return [norm = DeviceBatchNorm(source), x = source.read(0), sums = source.read(1),
            y = source.write(0), moments = source.write(1),
            activate =
                activateOf(source.instruction().fused)](const DeviceFrame& frame) -> Result<void> {
        float* kept = moments.write(frame);
        launchBatchMoments(frame.stream, norm.moments(frame, sums.doubles(frame).data(), kept));
        launchNormalizeChannels(frame.stream, norm.with(frame, kept), activate, x.read(frame),
                                y.write(frame));
        return {};
    };
}

/// Without training: what the statistics say is what the batch is taken to be.
DeviceKernel normalizeRunning(DeviceKernelSource& source) {
    const DeviceBatchNorm norm(source);
    const std::size_t scratch = source.reserve(2 * norm.channels * sizeof(float));
    return [norm, scratch, x = source.read(0), y = source.write(0),
            activate =
                activateOf(source.instruction().fused)](const DeviceFrame& frame) -> Result<void> {
        float* moments = scratchAt<float>(frame, scratch);
        launchRunningMoments(frame.stream, norm.moments(frame, nullptr, moments));
        launchNormalizeChannels(frame.stream, norm.with(frame, moments), activate, x.read(frame),
                                y.write(frame));
        return {};
    };
}

/// Of that: each channel times what it was multiplied by.
DeviceKernel runningInputGradient(DeviceKernelSource& source) {
    const DeviceBatchNorm norm(source);
    const std::size_t scratch = source.reserve(2 * norm.channels * sizeof(float));
    return [norm, scratch, dy = source.read(0),
            dx = source.write()](const DeviceFrame& frame) -> Result<void> {
        float* moments = scratchAt<float>(frame, scratch);
        launchRunningMoments(frame.stream, norm.moments(frame, nullptr, moments));
        TRY(check(cudaMemsetAsync(moments, 0, norm.channels * sizeof(float), frame.stream),
                  "clearing means"));
        NormalizedChannels with = norm.with(frame, moments);
        with.bias = nullptr;
        launchNormalizeChannels(frame.stream, with, {}, dy.read(frame), dx.write(frame));
        return {};
    };
}

/// What forward gave where relu was fused, read as the last operand; else none.
std::optional<Place> maskOf(const DeviceKernelSource& source) {
    const auto& instruction = source.instruction();
    if (instruction.fused.function != model::Function::Relu) return std::nullopt;
    return source.read(instruction.reads.size() - 1);
}

/// The sums of this replica are its gradients of bias and weight, too.
DeviceKernel gradientSums(DeviceKernelSource& source) {
    const DeviceBatchNorm norm(source);
    const std::size_t scratch =
        source.reserve(columnSumsScratch(source.maxBatch() * norm.places, norm.channels));
    return
        [norm, scratch, dy = source.read(0), x = source.read(1), moments = source.read(2),
         mask = maskOf(source), sums = source.write()](const DeviceFrame& frame) -> Result<void> {
            ColumnSums to = norm.sums(frame, sums);
            if (norm.trains && norm.bias) to.firstFloats = norm.bias->gradient(frame);
            if (norm.trains && norm.weight) to.secondFloats = norm.weight->gradient(frame);
            const float* kept = moments.read(frame);
            launchColumnSumsOf(frame.stream,
                               {.kind = ColumnTerms::Kind::ChannelMoments,
                                .columns = static_cast<std::uint32_t>(norm.channels),
                                .dy = dy.read(frame),
                                .y = mask ? mask->read(frame) : nullptr,
                                .x = x.read(frame),
                                .mean = kept,
                                .inverse = kept + norm.channels,
                                .rows = norm.rows(frame)},
                               to, scratchAt<double>(frame, scratch));
            return {};
        };
}

DeviceKernel inputGradient(DeviceKernelSource& source) {
    const DeviceBatchNorm norm(source);
    const std::size_t scratch = source.reserve(3 * norm.channels * sizeof(float));
    return [norm, scratch, dy = source.read(0), x = source.read(1), moments = source.read(2),
            sums = source.read(3), mask = maskOf(source),
            dx = source.write()](const DeviceFrame& frame) -> Result<void> {
        launchBatchInputGradient(frame.stream, norm.with(frame, moments.read(frame)),
                                 sums.doubles(frame).data(), dy.read(frame), x.read(frame),
                                 mask ? mask->read(frame) : nullptr,
                                 scratchAt<float>(frame, scratch), dx.write(frame));
        return {};
    };
}

}  // namespace

Result<DeviceKernel> makeDeviceBatchNormalization(DeviceKernelSource& source) {
    switch (source.action()) {
        case Action::BatchSums:
            return batchSums(source);
        case Action::GradientSums:
            return gradientSums(source);
        case Action::InputGradient:
            return source.instruction().reads.size() > 1 ? inputGradient(source)
                                                         : runningInputGradient(source);
        default:
            return source.instruction().writes.size() > 1 ? normalizeBatch(source)
                                                          : normalizeRunning(source);
    }
}

}  // namespace lockstep::program
