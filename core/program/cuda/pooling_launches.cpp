// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cuda/layers/pooling.h"

#include <variant>

#include "core/program/cuda/device_kernels.h"

namespace lockstep::program {

namespace {

using Kind = model::Pooling::Kind;
using namespace tensor::cuda;

DeviceKernel makeWindows(const DeviceKernelSource& source) {
    const auto& operation = std::get<model::Pooling>(source.node().operation);
    const bool isMaximum = operation.kind == Kind::Maximum;
    const WindowWalk walk = walkOf(operation.window, ImageShape(source.inputShape()));
    const bool isRelu = source.instruction().fused.function == model::Function::Relu;
    if (source.action() == Action::Forward)
        return
            [=, x = source.read(0), y = source.write()](const DeviceFrame& frame) -> Result<void> {
                if (isMaximum)
                    launchMaxPooling(frame.stream, walk, rowsOf(frame), isRelu, x.read(frame),
                                     y.write(frame));
                else
                    launchAveragePooling(frame.stream, walk, rowsOf(frame), x.read(frame),
                                         y.write(frame));
                return {};
            };
    if (!isMaximum)
        return [=, dy = source.read(0),
                dx = source.write()](const DeviceFrame& frame) -> Result<void> {
            launchAveragePoolingGradient(frame.stream, walk, rowsOf(frame), dy.read(frame),
                                         dx.write(frame));
            return {};
        };
    return [=, dy = source.read(0), x = source.read(1), y = source.read(2),
            dx = source.write()](const DeviceFrame& frame) -> Result<void> {
        launchMaxPoolingGradient(frame.stream, walk, rowsOf(frame), isRelu, x.read(frame),
                                 y.read(frame), dy.read(frame), dx.write(frame));
        return {};
    };
}

GlobalPlaces placesOf(const DeviceFrame& frame, const ImageShape& image) {
    return {rowsOf(frame), image.places(), image.channels};
}

DeviceKernel makeGlobal(const DeviceKernelSource& source) {
    const bool isMaximum =
        std::get<model::GlobalPooling>(source.node().operation).kind == Kind::Maximum;
    const ImageShape image(source.inputShape());
    if (source.action() == Action::Forward)
        return
            [=, x = source.read(0), y = source.write()](const DeviceFrame& frame) -> Result<void> {
                const auto pool = isMaximum ? launchGlobalMax : launchGlobalAverage;
                pool(frame.stream, placesOf(frame, image), x.read(frame), y.write(frame));
                return {};
            };
    if (!isMaximum)
        return [=, dy = source.read(0),
                dx = source.write()](const DeviceFrame& frame) -> Result<void> {
            launchGlobalAverageGradient(frame.stream, placesOf(frame, image), dy.read(frame),
                                        dx.write(frame));
            return {};
        };
    return [=, dy = source.read(0), x = source.read(1), y = source.read(2),
            dx = source.write()](const DeviceFrame& frame) -> Result<void> {
        launchGlobalMaxGradient(frame.stream, placesOf(frame, image), x.read(frame), y.read(frame),
                                dy.read(frame), dx.write(frame));
        return {};
    };
}

}  // namespace

Result<DeviceKernel> makeDevicePooling(DeviceKernelSource& source) {
    if (std::holds_alternative<model::GlobalPooling>(source.node().operation))
        return makeGlobal(source);
    return makeWindows(source);
}

}  // namespace lockstep::program
