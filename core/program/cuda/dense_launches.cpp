// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "core/base/try.h"
#include "core/program/cuda/device_kernels.h"
#include "core/tensor/cuda/kernels.h"
#include "core/tensor/cuda/layers/channel_sums.h"

namespace lockstep::program {

namespace {

using tensor::cuda::Epilogue;

/// A dense node: rows are samples times positions. A weight that is rounded lies in the scratch.
struct DeviceDense {
    explicit DeviceDense(DeviceKernelSource& source) : products(&source.products()) {
        const model::Shape& shape = source.tensor(0).shape;
        units = static_cast<std::size_t>(shape[0]);
        inputs = static_cast<std::size_t>(shape[1]);
        positions = static_cast<std::size_t>(model::elementCount(source.inputShape())) / inputs;
        weight = source.parameter(0);
        if (source.node().tensors.size() > 1) bias = source.parameter(1);
        weightAt = source.reserve(products->factorBytes(units * inputs));
    }

    [[nodiscard]] ProductSizes sizes(const DeviceFrame& frame) const {
        return {rowsOf(frame) * positions, inputs, units};
    }
    [[nodiscard]] const void* weightFactor(const DeviceFrame& frame) const {
        return weightFactorOf(frame, *products, weight, units * inputs, weightAt);
    }

    DeviceProducts* products;
    std::size_t positions = 1;
    std::size_t inputs = 0;
    std::size_t units = 0;
    TensorPlace weight;
    std::optional<TensorPlace> bias{};
    std::size_t weightAt = 0;
};

DeviceKernel forward(DeviceKernelSource& source) {
    return [dense = DeviceDense(source), x = source.factor(0), y = source.write(),
            activate =
                activateOf(source.instruction().fused)](const DeviceFrame& frame) -> Result<void> {
        if (frame.rows == 0) return {};
        const ProductSizes sizes = dense.sizes(frame);
        const float* bias = dense.bias ? dense.bias->read(frame) : nullptr;
        const bool isRelu = activate.function == tensor::cuda::PointFunction::Relu;
        const Epilogue along =
            TRY(dense.products->forward(frame.stream, sizes, x.read(frame, *dense.products),
                                        dense.weightFactor(frame), bias, isRelu, y.write(frame)));
        if (along == Epilogue::ReluBias) return {};
        tensor::cuda::launchBiasActivate(frame.stream, activate,
                                         along == Epilogue::Bias ? nullptr : bias, y.write(frame),
                                         sizes.rows, sizes.units);
        return {};
    };
}

/// No samples: no gradient.
void clearGradients(const DeviceFrame& frame, const DeviceDense& dense, bool weight, bool bias) {
    if (weight)
        tensor::cuda::launchFill(frame.stream, dense.weight.gradient(frame), 0,
                                 dense.units * dense.inputs);
    if (bias) tensor::cuda::launchFill(frame.stream, dense.bias->gradient(frame), 0, dense.units);
}

DeviceKernel parameterGradient(DeviceKernelSource& source) {
    DeviceDense dense(source);
    const std::size_t scratch = source.reserve(
        tensor::cuda::columnSumsScratch(source.maxBatch() * dense.positions, dense.units));
    const bool trainsWeight = source.tensor(0).isTrainable;
    const FactorPlace x = trainsWeight ? source.factor(0) : FactorPlace();
    const FactorPlace dyFactor = trainsWeight ? source.factor(1) : FactorPlace();
    return [dense, scratch, x, dyFactor, dy = source.read(1), adds = source.instruction().adds,
            trainsWeight,
            trainsBias = source.node().tensors.size() > 1 &&
                         source.tensor(1).isTrainable](const DeviceFrame& frame) -> Result<void> {
        if (frame.rows == 0) {
            clearGradients(frame, dense, trainsWeight && !adds, trainsBias);
            return {};
        }
        const ProductSizes sizes = dense.sizes(frame);
        float* dBias = trainsBias ? dense.bias->gradient(frame) : nullptr;
        bool hasBias = false;
        if (trainsWeight)
            hasBias = TRY(dense.products->weightGradient(
                frame.stream, sizes, x.read(frame, *dense.products),
                dyFactor.read(frame, *dense.products), adds, dense.weight.gradient(frame), dBias));
        if (trainsBias && !hasBias)
            sumColumns(frame, dy.read(frame), sizes.rows, sizes.units, scratch, dBias);
        return {};
    };
}

DeviceKernel inputGradient(DeviceKernelSource& source) {
    return [dense = DeviceDense(source), dy = source.factor(0),
            dx = source.write()](const DeviceFrame& frame) -> Result<void> {
        if (frame.rows == 0) return {};
        return dense.products->inputGradient(frame.stream, dense.sizes(frame),
                                             dy.read(frame, *dense.products),
                                             dense.weightFactor(frame), dx.write(frame));
    };
}

}  // namespace

Result<DeviceKernel> makeDeviceDense(DeviceKernelSource& source) {
    return byAction(source, {forward, parameterGradient, inputGradient});
}

}  // namespace lockstep::program
