// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <tuple>

#include "core/base/try.h"
#include "core/program/cuda/device_kernels.h"
#include "core/tensor/cuda/kernels.h"
#include "core/tensor/cuda/layers/convolution.h"

namespace lockstep::program {

/// A convolution's sizes, where its tensors lie, and where it works. The samples of a batch are
/// taken some at a time where their windows would need too much memory.
class DeviceConvolution {
public:
    /// `isTurned`: its weight is the node's with inputs in the place of outputs, and its taps in
    /// the opposite order.
    DeviceConvolution(DeviceKernelSource& source, const tensor::cuda::WindowWalk& walk,
                      std::size_t filters, bool isTurned = false)
        : products_(&source.products()), walk_(walk), filters_(filters), isTurned_(isTurned) {
        weight_ = source.parameter(0);
        if (source.node().tensors.size() > 1) bias_ = source.parameter(1);
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
        return bias_ ? bias_->read(frame) : nullptr;
    }
    [[nodiscard]] float* biasGradient(const DeviceFrame& frame) const {
        return bias_ ? bias_->gradient(frame) : nullptr;
    }
    [[nodiscard]] float* weightGradient(const DeviceFrame& frame) const {
        return weight_.gradient(frame);
    }
    [[nodiscard]] DeviceProducts& products() const { return *products_; }
    [[nodiscard]] bool isPointwise() const { return isPointwise_; }
    [[nodiscard]] std::size_t imageSize() const { return walk_.imageSize(); }
    [[nodiscard]] std::size_t channels() const { return static_cast<std::size_t>(walk_.channels); }

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
        if (products_->isHalf()) return gather<tensor::cuda::BFloat>(frame, x, samples);
        return gather<float>(frame, x, samples);
    }
    [[nodiscard]] const void* dyFactor(const DeviceFrame& frame, const float* dy,
                                       std::size_t samples) const {
        return products_->factor(frame.stream, dy, windows(samples) * filters_,
                                 frame.scratch + dyAt_);
    }
    /// [filters, taps, channels].
    [[nodiscard]] const void* weightFactor(const DeviceFrame& frame) const {
        if (!isReordered() && !isTurned_)
            return weightFactorOf(frame, *products_, weight_, weightSize(), weightAt_);
        const float* weight = weight_.read(frame);
        if (products_->isHalf()) return byTaps<tensor::cuda::BFloat>(frame, weight);
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
    /// The products of all windows of `from` and the weight, without a bias.
    [[nodiscard]] Result<void> multiplyWindows(const DeviceFrame& frame, const float* from,
                                               float* to) const {
        if (frame.rows == 0) return {};
        const void* weight = weightFactor(frame);
        return forChunks(
            frame,
            [&](std::size_t first, std::size_t samples, const ProductSizes& sizes) -> Result<void> {
                const void* factor = windowFactor(frame, from + first * imageSize(), samples);
                std::ignore = TRY(products_->forward(frame.stream, sizes, factor, weight, nullptr,
                                                     false, to + windows(first) * sizes.units));
                return {};
            });
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
    [[nodiscard]] std::size_t width() const { return walk_.tapCount() * channels(); }
    [[nodiscard]] bool isReordered() const { return walk_.tapCount() > 1 && channels() > 1; }
    /// Parts of a batch begin where cuBLASLt may read: at multiples of 32 bytes.
    [[nodiscard]] std::size_t chunkOf(std::size_t batch, std::size_t workBytes) const {
        if (isPointwise_ && !products_->isHalf()) return batch;
        const std::size_t sample = walk_.placeCount() * width() * sizeof(float);
        const std::size_t fitting = std::max<std::size_t>(workBytes / sample, 1);
        if (fitting >= batch) return batch;
        const std::size_t aligned = products_->isHalf() ? 16 : 8;
        std::size_t step = aligned / std::gcd(aligned, walk_.placeCount() * filters_);
        if (isPointwise_) step = std::lcm(step, aligned / std::gcd(aligned, imageSize()));
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
        if (isTurned_) {
            tensor::cuda::launchWeightTurned<T>(frame.stream, channels(), filters_,
                                                walk_.tapCount(), weight, reordered);
            return reordered;
        }
        tensor::cuda::launchWeightByTaps<T>(frame.stream, filters_, channels(), walk_.tapCount(),
                                            weight, reordered);
        return reordered;
    }

    DeviceProducts* products_;
    tensor::cuda::WindowWalk walk_;
    std::size_t filters_;
    bool isTurned_;
    TensorPlace weight_;
    std::optional<TensorPlace> bias_{};
    bool isPointwise_ = false;
    std::size_t chunk_ = 1;  ///< Samples.
    std::size_t columnsAt_ = 0;
    std::size_t dyAt_ = 0;
    std::size_t weightAt_ = 0;
};

}  // namespace lockstep::program
