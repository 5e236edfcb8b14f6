// SPDX-License-Identifier: Apache-2.0
// Convolutions as products: the pixels below each window side by side, times the weight tap by tap.
#include <tuple>
#include <utility>
#include <variant>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/program/cuda/device_convolution.h"
#include "core/tensor/cuda/layers/channel_sums.h"

namespace lockstep::program {

namespace {

using tensor::cuda::Epilogue;

DeviceConvolution convolutionOf(DeviceKernelSource& source) {
    const auto& operation = std::get<model::Convolution>(source.node().operation);
    return {source, walkOf(operation.window, ImageShape(source.inputShape())),
            static_cast<std::size_t>(source.node().shape.back())};
}

DeviceKernel forward(DeviceKernelSource& source) {
    return [conv = convolutionOf(source), x = source.read(0), y = source.write(),
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
    const DeviceConvolution conv = convolutionOf(source);
    const std::size_t scratch = source.reserve(
        tensor::cuda::columnSumsScratch(conv.windows(source.maxBatch()), conv.filters()));
    return [conv, scratch, x = source.read(0), dy = source.read(1),
            dyFactor = source.factor(1)](const DeviceFrame& frame) -> Result<void> {
        float* dBias = conv.biasGradient(frame);
        if (dBias != nullptr)
            sumColumns(frame, dy.read(frame), conv.windows(rowsOf(frame)), conv.filters(), scratch,
                       dBias);
        if (frame.rows == 0) {
            tensor::cuda::launchFill(frame.stream, conv.weightGradient(frame), 0,
                                     conv.weightSize());
            return {};
        }
        const void* gradient = dyFactor.read(frame, conv.products());
        TRY(conv.forChunks(
            frame,
            [&](std::size_t first, std::size_t samples, const ProductSizes& sizes) -> Result<void> {
                const void* windows =
                    conv.windowFactor(frame, x.read(frame) + first * conv.imageSize(), samples);
                std::ignore = TRY(conv.products().weightGradient(
                    frame.stream, sizes, windows,
                    conv.products().at(gradient, conv.windows(first) * sizes.units), first > 0,
                    conv.gradientByTaps(frame), nullptr));
                return {};
            }));
        conv.finishWeightGradient(frame);
        return {};
    };
}

/// Where windows take one step at a time, the gradient of the pixels is a convolution, too: of the
/// results' gradient by the weight turned round. Its windows are gathered, which is less than to
/// write those of all results and to add them up; unless filters are many more than channels.
tensor::cuda::WindowWalk turnedWalkOf(const tensor::cuda::WindowWalk& walk, std::int32_t filters) {
    const auto turned = [](tensor::cuda::WindowAxis axis) {
        std::swap(axis.extent, axis.places);
        axis.before = (axis.taps - 1) * axis.dilation - axis.before;
        return axis;
    };
    return {.rows = turned(walk.rows), .columns = turned(walk.columns), .channels = filters};
}

bool isTurnedLess(const DeviceKernelSource& source, const tensor::cuda::WindowWalk& walk,
                  std::int32_t filters) {
    const bool isStepwise = walk.rows.stride == 1 && walk.columns.stride == 1;
    const std::int32_t room = source.products().isHalf() ? 2 : 1;
    return isStepwise && walk.tapCount() > 1 && filters <= room * walk.channels;
}

DeviceKernel turnedInputGradient(DeviceKernelSource& source, const tensor::cuda::WindowWalk& walk,
                                 std::int32_t filters) {
    return [conv = DeviceConvolution(source, turnedWalkOf(walk, filters),
                                     static_cast<std::size_t>(walk.channels), true),
            dy = source.read(0), dx = source.write()](const DeviceFrame& frame) -> Result<void> {
        return conv.multiplyWindows(frame, dy.read(frame), dx.write(frame));
    };
}

DeviceKernel inputGradient(DeviceKernelSource& source) {
    const auto& operation = std::get<model::Convolution>(source.node().operation);
    const auto walk = walkOf(operation.window, ImageShape(source.inputShape()));
    const auto filters = static_cast<std::int32_t>(source.node().shape.back());
    if (isTurnedLess(source, walk, filters)) return turnedInputGradient(source, walk, filters);
    return [conv = convolutionOf(source), dy = source.factor(0),
            dx = source.write()](const DeviceFrame& frame) -> Result<void> {
        if (frame.rows == 0) return {};
        const void* weight = conv.weightFactor(frame);
        const void* gradients = dy.read(frame, conv.products());
        return conv.forChunks(
            frame,
            [&](std::size_t first, std::size_t samples, const ProductSizes& sizes) -> Result<void> {
                float* to = dx.write(frame) + first * conv.imageSize();
                const void* gradient =
                    conv.products().at(gradients, conv.windows(first) * sizes.units);
                TRY(conv.products().inputGradient(frame.stream, sizes, gradient, weight,
                                                  conv.windowGradient(frame, to)));
                conv.finishInputGradient(frame, samples, to);
                return {};
            });
    };
}

}  // namespace

Result<DeviceKernel> makeDeviceConvolution(DeviceKernelSource& source) {
    return byAction(source, {forward, parameterGradient, inputGradient});
}

}  // namespace lockstep::program
