// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "core/program/cpu/kernels.h"
#include "core/program/cpu/shapes.h"
#include "core/tensor/cpu/layers/pooling.h"

namespace lockstep::program {

namespace {

using Kind = model::Pooling::Kind;

/// The shape for the batch of the moment.
tensor::PoolingShape shapeOf(const Frame& frame, const ImageShape& image,
                             const tensor::Window& window) {
    return {.batch = static_cast<std::size_t>(frame.rows),
            .height = image.height,
            .width = image.width,
            .channels = image.channels,
            .window = window};
}

tensor::GlobalPoolingShape shapeOf(const Frame& frame, const ImageShape& image) {
    return {.samples = static_cast<std::size_t>(frame.rows),
            .places = image.places(),
            .channels = image.channels};
}

Kernel makeWindowKernel(const KernelSource& source) {
    const auto& operation = std::get<model::Pooling>(source.node().operation);
    const bool isMaximum = operation.kind == Kind::Maximum;
    const ImageShape image(source.inputShape());
    const tensor::Window window = windowOf(operation.window);
    const bool isRelu = source.instruction().fused.function == model::Function::Relu;
    if (source.action() == Action::Forward)
        return [=, x = source.read(0), y = source.write()](const Frame& frame) {
            const auto shape = shapeOf(frame, image, window);
            if (isMaximum)
                tensor::maxPooling(shape, all(frame, x), result(frame, y), tensor::bestIsa(),
                                   isRelu);
            else
                tensor::averagePooling(shape, all(frame, x), result(frame, y));
        };
    if (!isMaximum)
        return [=, dy = source.read(0), dx = source.write()](const Frame& frame) {
            tensor::averagePoolingGradient(shapeOf(frame, image, window), all(frame, dy),
                                           result(frame, dx));
        };
    return [=, dy = source.read(0), x = source.read(1), y = source.read(2),
            dx = source.write()](const Frame& frame) {
        tensor::maxPoolingGradient(shapeOf(frame, image, window), all(frame, x), all(frame, y),
                                   all(frame, dy), result(frame, dx), tensor::bestIsa(), isRelu);
    };
}

Kernel makeGlobalKernel(const KernelSource& source) {
    const bool isMaximum =
        std::get<model::GlobalPooling>(source.node().operation).kind == Kind::Maximum;
    const ImageShape image(source.inputShape());
    if (source.action() == Action::Forward)
        return [=, x = source.read(0), y = source.write()](const Frame& frame) {
            const auto pool = isMaximum ? tensor::globalMaxPooling : tensor::globalAveragePooling;
            pool(shapeOf(frame, image), all(frame, x), result(frame, y), tensor::bestIsa());
        };
    if (!isMaximum)
        return [=, dy = source.read(0), dx = source.write()](const Frame& frame) {
            tensor::globalAveragePoolingGradient(shapeOf(frame, image), all(frame, dy),
                                                 result(frame, dx));
        };
    return [=, dy = source.read(0), x = source.read(1), y = source.read(2),
            dx = source.write()](const Frame& frame) {
        tensor::globalMaxPoolingGradient(shapeOf(frame, image), all(frame, x), all(frame, y),
                                         all(frame, dy), result(frame, dx));
    };
}

}  // namespace

Result<Kernel> makePoolingKernel(const KernelSource& source) {
    if (std::holds_alternative<model::GlobalPooling>(source.node().operation))
        return makeGlobalKernel(source);
    return makeWindowKernel(source);
}

}  // namespace lockstep::program
