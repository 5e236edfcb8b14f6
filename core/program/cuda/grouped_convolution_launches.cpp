// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <variant>

#include "core/program/cuda/device_kernels.h"
#include "core/tensor/cuda/layers/channel_sums.h"
#include "core/tensor/cuda/layers/convolution.h"

namespace lockstep::program {

namespace {

/// A convolution in groups (depthwise among them) with its tensors.
struct GroupedConvolutionNode {
    explicit GroupedConvolutionNode(const DeviceKernelSource& source)
        : weight(source.parameter(0)) {
        const auto& operation = std::get<model::Convolution>(source.node().operation);
        shape.walk = walkOf(operation.window, ImageShape(source.inputShape()));
        shape.filters = static_cast<std::int32_t>(source.node().shape.back());
        shape.groups = static_cast<std::int32_t>(operation.groups);
        if (source.node().tensors.size() > 1) bias = source.parameter(1);
    }
    [[nodiscard]] std::size_t filters() const { return static_cast<std::size_t>(shape.filters); }
    [[nodiscard]] std::size_t windows(std::size_t samples) const {
        return samples * shape.walk.placeCount();
    }

    tensor::cuda::GroupedConvolution shape;
    TensorPlace weight;
    std::optional<TensorPlace> bias{};
};

DeviceKernel forward(DeviceKernelSource& source) {
    return [node = GroupedConvolutionNode(source), x = source.read(0), y = source.write(),
            activate =
                activateOf(source.instruction().fused)](const DeviceFrame& frame) -> Result<void> {
        tensor::cuda::launchGroupedForward(frame.stream, node.shape, rowsOf(frame), x.read(frame),
                                           node.weight.read(frame), y.write(frame));
        tensor::cuda::launchBiasActivate(
            frame.stream, activate, node.bias ? node.bias->read(frame) : nullptr, y.write(frame),
            node.windows(rowsOf(frame)), node.filters());
        return {};
    };
}

DeviceKernel parameterGradient(DeviceKernelSource& source) {
    GroupedConvolutionNode node(source);
    const std::size_t scratch = source.reserve(
        tensor::cuda::columnSumsScratch(node.windows(source.maxBatch()), node.filters()));
    return [node, scratch, x = source.read(0),
            dy = source.read(1)](const DeviceFrame& frame) -> Result<void> {
        tensor::cuda::launchGroupedWeightGradient(frame.stream, node.shape, rowsOf(frame),
                                                  x.read(frame), dy.read(frame),
                                                  node.weight.gradient(frame));
        if (node.bias)
            sumColumns(frame, dy.read(frame), node.windows(rowsOf(frame)), node.filters(), scratch,
                       node.bias->gradient(frame));
        return {};
    };
}

DeviceKernel inputGradient(DeviceKernelSource& source) {
    return [node = GroupedConvolutionNode(source), dy = source.read(0),
            dx = source.write()](const DeviceFrame& frame) -> Result<void> {
        tensor::cuda::launchGroupedInputGradient(frame.stream, node.shape, rowsOf(frame),
                                                 dy.read(frame), node.weight.read(frame),
                                                 dx.write(frame));
        return {};
    };
}

}  // namespace

Result<DeviceKernel> makeDeviceGroupedConvolution(DeviceKernelSource& source) {
    return byAction(source, {forward, parameterGradient, inputGradient});
}

}  // namespace lockstep::program
