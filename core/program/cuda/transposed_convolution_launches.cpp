// SPDX-License-Identifier: Apache-2.0
// Transposed convolutions: the passes of the convolution that takes their output, each in the place
// of another.
#include <tuple>
#include <variant>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/program/cuda/device_convolution.h"
#include "core/tensor/cuda/layers/channel_sums.h"

namespace lockstep::program {

namespace {

/// Its windows lie on this node's output, and give this node's input.
DeviceConvolution adjointOf(DeviceKernelSource& source) {
    const auto& operation = std::get<model::TransposedConvolution>(source.node().operation);
    return {source, walkOf(operation.window, ImageShape(source.node().shape)),
            static_cast<std::size_t>(source.inputShape().back())};
}

DeviceKernel forward(DeviceKernelSource& source) {
    return [conv = adjointOf(source), x = source.read(0), y = source.write(),
            activate =
                activateOf(source.instruction().fused)](const DeviceFrame& frame) -> Result<void> {
        if (frame.rows == 0) return {};
        const void* weight = conv.weightFactor(frame);
        TRY(conv.forChunks(
            frame,
            [&](std::size_t first, std::size_t samples, const ProductSizes& sizes) -> Result<void> {
                float* to = y.write(frame) + first * conv.imageSize();
                const float* from = x.read(frame) + conv.windows(first) * sizes.units;
                TRY(conv.products().inputGradient(frame.stream, sizes,
                                                  conv.dyFactor(frame, from, samples), weight,
                                                  conv.windowGradient(frame, to)));
                conv.finishInputGradient(frame, samples, to);
                return {};
            }));
        tensor::cuda::launchBiasActivate(frame.stream, activate, conv.bias(frame), y.write(frame),
                                         rowsOf(frame) * conv.imageSize() / conv.channels(),
                                         conv.channels());
        return {};
    };
}

DeviceKernel parameterGradient(DeviceKernelSource& source) {
    LS_CHECK(!source.instruction().adds, "no two convolutions share their weights");
    const DeviceConvolution conv = adjointOf(source);
    const std::size_t places = conv.imageSize() / conv.channels();
    const std::size_t scratch = source.reserve(
        tensor::cuda::columnSumsScratch(source.maxBatch() * places, conv.channels()));
    return [conv, scratch, places, x = source.read(0),
            dy = source.read(1)](const DeviceFrame& frame) -> Result<void> {
        float* dBias = conv.biasGradient(frame);
        if (dBias != nullptr)
            sumColumns(frame, dy.read(frame), rowsOf(frame) * places, conv.channels(), scratch,
                       dBias);
        if (frame.rows == 0) {
            tensor::cuda::launchFill(frame.stream, conv.weightGradient(frame), 0,
                                     conv.weightSize());
            return {};
        }
        TRY(conv.forChunks(
            frame,
            [&](std::size_t first, std::size_t samples, const ProductSizes& sizes) -> Result<void> {
                const float* from = x.read(frame) + conv.windows(first) * sizes.units;
                const void* windows =
                    conv.windowFactor(frame, dy.read(frame) + first * conv.imageSize(), samples);
                std::ignore = TRY(conv.products().weightGradient(
                    frame.stream, sizes, windows, conv.dyFactor(frame, from, samples), first > 0,
                    conv.gradientByTaps(frame), nullptr));
                return {};
            }));
        conv.finishWeightGradient(frame);
        return {};
    };
}

DeviceKernel inputGradient(DeviceKernelSource& source) {
    return [conv = adjointOf(source), dy = source.read(0),
            dx = source.write()](const DeviceFrame& frame) -> Result<void> {
        return conv.multiplyWindows(frame, dy.read(frame), dx.write(frame));
    };
}

}  // namespace

Result<DeviceKernel> makeDeviceTransposedConvolution(DeviceKernelSource& source) {
    return byAction(source, {forward, parameterGradient, inputGradient});
}

}  // namespace lockstep::program
