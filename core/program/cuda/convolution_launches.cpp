// SPDX-License-Identifier: Apache-2.0
// Convolutions as products: the pixels below each window side by side, times the weight tap by tap.
#include <numeric>
#include <optional>
#include <tuple>
#include <variant>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/program/cuda/device_kernels.h"
#include "core/tensor/cuda/kernels.h"
#include "core/tensor/cuda/layers/channel_sums.h"
#include "core/tensor/cuda/layers/convolution.h"

namespace lockstep::program {

namespace {

using tensor::cuda::BFloat;
using tensor::cuda::Epilogue;

/// A convolution's sizes, where its tensors lie, and where it works. The samples of a batch are
/// taken some at a time where their windows would need too much memory.
class DeviceConvolution {
public:
    explicit DeviceConvolution(DeviceKernelSource& source) : products_(&source.products()) {
        const auto& operation = std::get<model::Convolution>(source.node().operation);
        walk_ = walkOf(operation.window, ImageShape(source.inputShape()));
        filters_ = static_cast<std::size_t>(source.node().shape.back());
        weight_ = source.offset(0);
        if (source.node().tensors.size() > 1) bias_ = source.offset(1);
        const auto isPlain = [](const tensor::cuda::WindowAxis& axis) {
            return axis.taps == 1 && axis.stride == 1 && axis.places == axis.extent;
        };
        isPointwise_ = isPlain(walk_.rows) && isPlain(walk_.columns);
        chunk_ = chunkOf(source.maxBatch(), source.workBytes());
        const std::size_t windows = chunk_ * walk_.placeCount();
        columnsAt_ = source.reserve(isPointwise_ ? products_->factorBytes(windows * width())
                                                 : windows * width() * sizeof(float));
        dyAt_ = source.reserve(products_->factorBytes(windows * filters_));
        weightAt_ = source.reserve(filters_ * width() * sizeof(float));
    }

    [[nodiscard]] std::size_t filters() const { return filters_; }
    [[nodiscard]] std::size_t weightSize() const { return filters_ * width(); }
    [[nodiscard]] std::size_t windows(std::size_t samples) const {
        return samples * walk_.placeCount();
    }
    [[nodiscard]] const float* bias(const DeviceFrame& frame) const {
        return bias_ ? frame.parameters + *bias_ : nullptr;
    }
    [[nodiscard]] float* biasGradient(const DeviceFrame& frame) const {
        return bias_ ? frame.gradients + *bias_ : nullptr;
    }
    [[nodiscard]] float* weightGradient(const DeviceFrame& frame) const {
        return frame.gradients + weight_;
    }
    [[nodiscard]] DeviceProducts& products() const { return *products_; }
    [[nodiscard]] bool isPointwise() const { return isPointwise_; }
    [[nodiscard]] std::size_t imageSize() const { return walk_.imageSize(); }

    /// work(first sample, sizes of the product of some samples) until all are done.
    template <typename Work>
    [[nodiscard]] Result<void> forChunks(const DeviceFrame& frame, const Work& work) const {
        for (std::size_t first = 0; first < rowsOf(frame); first += chunk_) {
            const std::size_t samples = std::min(chunk_, rowsOf(frame) - first);
            TRY(work(first, samples, ProductSizes{windows(samples), width(), filters_}));
        }
        return {};
    }
    /// The windows of some samples as a product's factor.
    [[nodiscard]] const void* windowFactor(const DeviceFrame& frame, const float* x,
                                           std::size_t samples) const {
        if (isPointwise_)
            return products_->factor(frame.stream, x, samples * walk_.imageSize(),
                                     frame.scratch + columnsAt_);
        if (products_->isHalf()) return gather<BFloat>(frame, x, samples);
        return gather<float>(frame, x, samples);
    }
    [[nodiscard]] const void* dyFactor(const DeviceFrame& frame, const float* dy,
                                       std::size_t samples) const {
        return products_->factor(frame.stream, dy, windows(samples) * filters_,
                                 frame.scratch + dyAt_);
    }
    /// [filters, taps, channels].
    [[nodiscard]] const void* weightFactor(const DeviceFrame& frame) const {
        const float* weight = frame.parameters + weight_;
        if (!isReordered())
            return products_->isHalf() && frame.shadow != nullptr
                       ? static_cast<const void*>(frame.shadow + weight_)
                       : products_->factor(frame.stream, weight, weightSize(),
                                           frame.scratch + weightAt_);
        if (products_->isHalf()) return byTaps<BFloat>(frame, weight);
        return byTaps<float>(frame, weight);
    }
    /// Where the gradient of that is to go before it is brought into the tensor's order.
    [[nodiscard]] float* gradientByTaps(const DeviceFrame& frame) const {
        return isReordered() ? scratchAt<float>(frame, weightAt_) : weightGradient(frame);
    }
    void finishWeightGradient(const DeviceFrame& frame) const {
        if (isReordered())
            tensor::cuda::launchWeightByChannels(frame.stream, filters_, channels(),
                                                 walk_.tapCount(), gradientByTaps(frame),
                                                 weightGradient(frame));
    }
    /// Where the windows' gradients go, and what becomes of them.
    [[nodiscard]] float* windowGradient(const DeviceFrame& frame, float* dx) const {
        return isPointwise_ ? dx : scratchAt<float>(frame, columnsAt_);
    }
    void finishInputGradient(const DeviceFrame& frame, std::size_t samples, float* dx) const {
        if (!isPointwise_)
            tensor::cuda::launchScatterWindows(frame.stream, walk_, samples,
                                               scratchAt<float>(frame, columnsAt_), dx);
    }

private:
    [[nodiscard]] std::size_t channels() const { return static_cast<std::size_t>(walk_.channels); }
    [[nodiscard]] std::size_t width() const { return walk_.tapCount() * channels(); }
    [[nodiscard]] bool isReordered() const { return walk_.tapCount() > 1 && channels() > 1; }
    /// Parts of a batch begin where cuBLASLt may read: at multiples of eight numbers.
    [[nodiscard]] std::size_t chunkOf(std::size_t batch, std::size_t workBytes) const {
        if (isPointwise_ && !products_->isHalf()) return batch;
        const std::size_t sample = walk_.placeCount() * width() * sizeof(float);
        const std::size_t fitting = std::max<std::size_t>(workBytes / sample, 1);
        if (fitting >= batch) return batch;
        constexpr std::size_t kAligned = 8;
        std::size_t step = kAligned / std::gcd(kAligned, walk_.placeCount() * filters_);
        if (isPointwise_) step = std::lcm(step, kAligned / std::gcd(kAligned, imageSize()));
        return std::min(batch, std::max(fitting / step, std::size_t{1}) * step);
    }
    template <typename T>
    [[nodiscard]] const void* gather(const DeviceFrame& frame, const float* x,
                                     std::size_t samples) const {
        T* columns = scratchAt<T>(frame, columnsAt_);
        tensor::cuda::launchGatherWindows<T>(frame.stream, walk_, samples, x, columns);
        return columns;
    }
    template <typename T>
    [[nodiscard]] const void* byTaps(const DeviceFrame& frame, const float* weight) const {
        T* reordered = scratchAt<T>(frame, weightAt_);
        tensor::cuda::launchWeightByTaps<T>(frame.stream, filters_, channels(), walk_.tapCount(),
                                            weight, reordered);
        return reordered;
    }

    DeviceProducts* products_;
    tensor::cuda::WindowWalk walk_;
    std::size_t filters_ = 0;
    std::size_t weight_ = 0;
    std::optional<std::size_t> bias_{};
    bool isPointwise_ = false;
    std::size_t chunk_ = 1;  ///< Samples.
    std::size_t columnsAt_ = 0;
    std::size_t dyAt_ = 0;
    std::size_t weightAt_ = 0;
};

DeviceKernel forward(DeviceKernelSource& source) {
    return [conv = DeviceConvolution(source), x = source.read(0), y = source.write(),
            activate =
                activateOf(source.instruction().fused)](const DeviceFrame& frame) -> Result<void> {
        const bool isRelu = activate.function == tensor::cuda::PointFunction::Relu;
        const void* weight = frame.rows == 0 ? nullptr : conv.weightFactor(frame);
        return conv.forChunks(
            frame,
            [&](std::size_t first, std::size_t samples, const ProductSizes& sizes) -> Result<void> {
                float* out = y.write(frame) + conv.windows(first) * sizes.units;
                const void* windows =
                    conv.windowFactor(frame, x.read(frame) + first * conv.imageSize(), samples);
                const Epilogue along = TRY(conv.products().forward(
                    frame.stream, sizes, windows, weight, conv.bias(frame), isRelu, out));
                if (along == Epilogue::ReluBias) return {};
                tensor::cuda::launchBiasActivate(
                    frame.stream, activate, along == Epilogue::Bias ? nullptr : conv.bias(frame),
                    out, sizes.rows, sizes.units);
                return {};
            });
    };
}

DeviceKernel parameterGradient(DeviceKernelSource& source) {
    LS_CHECK(!source.instruction().adds, "no two convolutions share their weights");
    DeviceConvolution conv(source);
    const std::size_t scratch = source.reserve(
        tensor::cuda::columnSumsScratch(conv.windows(source.maxBatch()), conv.filters()));
    return [conv, scratch, x = source.read(0),
            dy = source.read(1)](const DeviceFrame& frame) -> Result<void> {
        float* dBias = conv.biasGradient(frame);
        if (dBias != nullptr)
            sumColumns(frame, dy.read(frame), conv.windows(rowsOf(frame)), conv.filters(), scratch,
                       dBias);
        if (frame.rows == 0) {
            tensor::cuda::launchFill(frame.stream, conv.weightGradient(frame), 0,
                                     conv.weightSize());
            return {};
        }
        TRY(conv.forChunks(
            frame,
            [&](std::size_t first, std::size_t samples, const ProductSizes& sizes) -> Result<void> {
                const float* gradient = dy.read(frame) + conv.windows(first) * sizes.units;
                const void* windows =
                    conv.windowFactor(frame, x.read(frame) + first * conv.imageSize(), samples);
                std::ignore = TRY(conv.products().weightGradient(
                    frame.stream, sizes, windows, conv.dyFactor(frame, gradient, samples),
                    first > 0, conv.gradientByTaps(frame), nullptr));
                return {};
            }));
        conv.finishWeightGradient(frame);
        return {};
    };
}

DeviceKernel inputGradient(DeviceKernelSource& source) {
    return [conv = DeviceConvolution(source), dy = source.read(0),
            dx = source.write()](const DeviceFrame& frame) -> Result<void> {
        const void* weight = frame.rows == 0 ? nullptr : conv.weightFactor(frame);
        return conv.forChunks(
            frame,
            [&](std::size_t first, std::size_t samples, const ProductSizes& sizes) -> Result<void> {
                float* to = dx.write(frame) + first * conv.imageSize();
                const float* gradient = dy.read(frame) + conv.windows(first) * sizes.units;
                TRY(conv.products().inputGradient(frame.stream, sizes,
                                                  conv.dyFactor(frame, gradient, samples), weight,
                                                  conv.windowGradient(frame, to)));
                conv.finishInputGradient(frame, samples, to);
                return {};
            });
    };
}

}  // namespace

Result<DeviceKernel> makeDeviceConvolution(DeviceKernelSource& source) {
    switch (source.action()) {
        case Action::Forward:
            return forward(source);
        case Action::ParameterGradient:
            return parameterGradient(source);
        default:
            return inputGradient(source);
    }
}

}  // namespace lockstep::program
