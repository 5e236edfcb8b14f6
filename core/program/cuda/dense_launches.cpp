// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "core/base/try.h"
#include "core/program/cuda/device_kernels.h"
#include "core/tensor/cuda/kernels.h"
#include "core/tensor/cuda/layers/channel_sums.h"

namespace lockstep::program {

namespace {

using tensor::cuda::Epilogue;

/// A dense node: rows are samples times positions. Factors that are rounded lie in the scratch.
struct DeviceDense {
    explicit DeviceDense(DeviceKernelSource& source) : products(&source.products()) {
        const model::Shape& shape = source.tensor(0).shape;
        units = static_cast<std::size_t>(shape[0]);
        inputs = static_cast<std::size_t>(shape[1]);
        positions = static_cast<std::size_t>(model::elementCount(source.inputShape())) / inputs;
        weight = source.parameter(0);
        if (source.node().tensors.size() > 1) bias = source.parameter(1);
        const std::size_t rows = source.maxBatch() * positions;
        xAt = source.reserve(products->factorBytes(rows * inputs));
        dyAt = source.reserve(products->factorBytes(rows * units));
        weightAt = source.reserve(products->factorBytes(units * inputs));
    }

    [[nodiscard]] ProductSizes sizes(const DeviceFrame& frame) const {
        return {rowsOf(frame) * positions, inputs, units};
    }
    [[nodiscard]] const void* weightFactor(const DeviceFrame& frame) const {
        return weightFactorOf(frame, *products, weight, units * inputs, weightAt);
    }
    [[nodiscard]] const void* xFactor(const DeviceFrame& frame, const Place& x) const {
        return products->factor(frame.stream, x.read(frame), sizes(frame).rows * inputs,
                                frame.scratch + xAt);
    }
    [[nodiscard]] const void* dyFactor(const DeviceFrame& frame, const Place& dy) const {
        return products->factor(frame.stream, dy.read(frame), sizes(frame).rows * units,
                                frame.scratch + dyAt);
    }

    DeviceProducts* products;
    std::size_t positions = 1;
    std::size_t inputs = 0;
    std::size_t units = 0;
    TensorPlace weight;
    std::optional<TensorPlace> bias{};
    std::size_t xAt = 0;
    std::size_t dyAt = 0;
    std::size_t weightAt = 0;
};

DeviceKernel forward(DeviceKernelSource& source) {
    return [dense = DeviceDense(source), x = source.read(0), y = source.write(),
            activate =
                activateOf(source.instruction().fused)](const DeviceFrame& frame) -> Result<void> {
        if (frame.rows == 0) return {};
        const ProductSizes sizes = dense.sizes(frame);
        const float* bias = dense.bias ? dense.bias->read(frame) : nullptr;
        const bool isRelu = activate.function == tensor::cuda::PointFunction::Relu;
        const Epilogue along =
            TRY(dense.products->forward(frame.stream, sizes, dense.xFactor(frame, x),
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
    return [dense, scratch, x = source.read(0), dy = source.read(1),
            adds = source.instruction().adds, trainsWeight = source.tensor(0).isTrainable,
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
                frame.stream, sizes, dense.xFactor(frame, x), dense.dyFactor(frame, dy), adds,
                dense.weight.gradient(frame), dBias));
        if (trainsBias && !hasBias)
            sumColumns(frame, dy.read(frame), sizes.rows, sizes.units, scratch, dBias);
        return {};
    };
}

DeviceKernel inputGradient(DeviceKernelSource& source) {
    return [dense = DeviceDense(source), dy = source.read(0),
            dx = source.write()](const DeviceFrame& frame) -> Result<void> {
        if (frame.rows == 0) return {};
        return dense.products->inputGradient(frame.stream, dense.sizes(frame),
                                             dense.dyFactor(frame, dy), dense.weightFactor(frame),
                                             dx.write(frame));
    };
}

}  // namespace

Result<DeviceKernel> makeDeviceDense(DeviceKernelSource& source) {
    return byAction(source, {forward, parameterGradient, inputGradient});
}

}  // namespace lockstep::program
