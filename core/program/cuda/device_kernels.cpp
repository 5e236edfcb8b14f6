// SPDX-License-Identifier: Apache-2.0
#include "core/program/cuda/device_kernels.h"

#include <variant>

#include "core/tensor/cuda/kernels.h"
#include "core/tensor/cuda/layers/channel_sums.h"
#include "core/tensor/cuda/layers/dropout.h"

namespace lockstep::program {

using tensor::cuda::PointFunction;

namespace {

PointFunction functionOf(model::Function function) {
    switch (function) {
        case model::Function::Linear:
        case model::Function::Softmax:  // has kernels of its own
            return PointFunction::Linear;
        case model::Function::Relu:
            return PointFunction::Relu;
        case model::Function::LeakyRelu:
            return PointFunction::LeakyRelu;
        case model::Function::Gelu:
            return PointFunction::Gelu;
        case model::Function::GeluTanh:
            return PointFunction::GeluTanh;
        case model::Function::Silu:
            return PointFunction::Silu;
        case model::Function::Sigmoid:
            return PointFunction::Sigmoid;
        case model::Function::Tanh:
            return PointFunction::Tanh;
        case model::Function::Elu:
            return PointFunction::Elu;
    }
    return PointFunction::Linear;
}

tensor::cuda::WindowAxis axisOf(const model::Window& window, std::size_t axis,
                                const tensor::Extent& image) {
    return {.extent = static_cast<std::int32_t>(image[axis]),
            .places = static_cast<std::int32_t>(windowOf(window).places(image)[axis]),
            .taps = static_cast<std::int32_t>(window.size[axis]),
            .stride = static_cast<std::int32_t>(window.strides[axis]),
            .dilation = static_cast<std::int32_t>(window.dilation[axis]),
            .before = static_cast<std::int32_t>(window.before[axis])};
}

template <typename... Choices>
bool isOneOf(const model::Operation& operation) {
    return (std::holds_alternative<Choices>(operation) || ...);
}

}  // namespace

tensor::cuda::Activate activateOf(const model::Activation& activation) {
    return {functionOf(activation.function), activation.slope};
}

tensor::cuda::WindowWalk walkOf(const model::Window& window, const ImageShape& image) {
    const tensor::Extent extent{image.height, image.width};
    return {.rows = axisOf(window, 0, extent),
            .columns = axisOf(window, 1, extent),
            .channels = static_cast<std::int32_t>(image.channels)};
}

std::size_t rowsOf(const DeviceFrame& frame) {
    return static_cast<std::size_t>(frame.rows);
}

const void* weightFactorOf(const DeviceFrame& frame, const DeviceProducts& products,
                           const TensorPlace& weight, std::size_t count, std::size_t scratch) {
    if (products.isHalf() && frame.shadow != nullptr && weight.stored())
        return frame.shadow + *weight.stored();
    return products.factor(frame.stream, weight.read(frame), count, frame.scratch + scratch);
}

const void* FactorPlace::read(const DeviceFrame& frame, const DeviceProducts& products) const {
    const float* values = place_.read(frame);
    if (!products.isHalf()) return values;
    auto* rounded = isSamples_ ? frame.roundedSamples : frame.rounded + (values - frame.arena);
    if (!isMade_) tensor::cuda::launchToBFloat16(frame.stream, values, rounded, place_.size(frame));
    return rounded;
}

void sumColumns(const DeviceFrame& frame, const float* dy, std::size_t rows, std::size_t columns,
                std::size_t scratch, float* sums) {
    tensor::cuda::launchColumnSumsOf(frame.stream,
                                     {.kind = tensor::cuda::ColumnTerms::Kind::GradientAlone,
                                      .columns = static_cast<std::uint32_t>(columns),
                                      .dy = dy,
                                      .rows = rows},
                                     {.firstFloats = sums}, scratchAt<double>(frame, scratch));
}

/// Forward and gradient are the same: what is kept is known from the batch's place alone.
Result<DeviceKernel> makeDeviceDropout(DeviceKernelSource& source) {
    const auto& operation = std::get<model::Dropout>(source.node().operation);
    const auto numbers = static_cast<std::size_t>(model::elementCount(source.node().shape));
    const bool isByPlace = operation.isOfChannels || operation.allChannels > 0;
    const std::size_t units =
        isByPlace ? static_cast<std::size_t>(source.node().shape.back()) : numbers;
    const tensor::cuda::DropStretches stretches{
        .units = units,
        .places = numbers / units,
        .first = static_cast<std::size_t>(operation.firstChannel),
        .step = operation.isOfChannels ? 0 : static_cast<std::size_t>(operation.allChannels)};
    return [stretches,
            drop = tensor::cuda::dropUnits(static_cast<std::uint32_t>(operation.layer),
                                           operation.rate),
            x = source.read(0), y = source.write()](const DeviceFrame& frame) -> Result<void> {
        tensor::cuda::launchDropout(frame.stream, frame.moment, drop, x.read(frame), y.write(frame),
                                    rowsOf(frame), stretches);
        return {};
    };
}

DeviceKernel byAction(DeviceKernelSource& source, const DeviceKernelMakers& makers) {
    switch (source.action()) {
        case Action::Forward:
            return makers.forward(source);
        case Action::ParameterGradient:
            return makers.parameterGradient(source);
        default:
            return makers.inputGradient(source);
    }
}

Result<DeviceKernel> makeDeviceKernel(DeviceKernelSource& source) {
    const model::Operation& operation = source.node().operation;
    if (source.action() == Action::SumAcrossReplicas)  // the executor's
        return [](const DeviceFrame&) -> Result<void> { return {}; };
    if (source.action() == Action::Accumulate) return makeDevicePointwise(source);
    const bool isOfMesh = source.action() == Action::GatherTensor ||
                          source.action() == Action::KeepGradient ||
                          isOneOf<model::MeshExchange>(operation);
    if (isOfMesh) return makeDeviceMesh(source);
    if (isOneOf<model::Dense>(operation)) return makeDeviceDense(source);
    if (const auto* convolution = std::get_if<model::Convolution>(&operation))
        return convolution->groups > 1 ? makeDeviceGroupedConvolution(source)
                                       : makeDeviceConvolution(source);
    if (isOneOf<model::TransposedConvolution>(operation))
        return makeDeviceTransposedConvolution(source);
    if (isOneOf<model::Recurrence>(operation)) return makeDeviceRecurrence(source);
    if (isOneOf<model::Pooling, model::GlobalPooling>(operation)) return makeDevicePooling(source);
    if (isOneOf<model::BatchNormalization>(operation)) return makeDeviceBatchNormalization(source);
    if (isOneOf<model::LayerNormalization>(operation)) return makeDeviceLayerNormalization(source);
    if (isOneOf<model::GroupNormalization>(operation)) return makeDeviceGroupNormalization(source);
    if (isOneOf<model::Attention>(operation)) return makeDeviceAttention(source);
    if (isOneOf<model::Dropout>(operation)) return makeDeviceDropout(source);
    if (isOneOf<model::Embedding, model::PositionEmbedding>(operation))
        return makeDeviceEmbedding(source);
    if (isOneOf<model::Input, model::Concatenate, model::ZeroPadding, model::Flatten,
                model::UpSampling>(operation))
        return makeDeviceMove(source);
    return makeDevicePointwise(source);
}

}  // namespace lockstep::program
