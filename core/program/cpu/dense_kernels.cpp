// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "core/program/cpu/kernels.h"
#include "core/tensor/cpu/gemm.h"
#include "core/tensor/cpu/kernels.h"

namespace lockstep::program {

namespace {

/// The sizes of a dense node: rows are samples times positions.
struct DenseSizes {
    std::size_t positions = 1;
    std::size_t inputs = 0;
    std::size_t units = 0;
    TensorPlace weight{};
    std::optional<TensorPlace> bias{};

    [[nodiscard]] std::size_t rows(const Frame& frame) const {
        return static_cast<std::size_t>(frame.rows) * positions;
    }
};

DenseSizes sizesOf(const KernelSource& source) {
    const model::Shape& weight = source.tensor(0).shape;
    DenseSizes sizes{.inputs = static_cast<std::size_t>(weight[1]),
                     .units = static_cast<std::size_t>(weight[0]),
                     .weight = source.parameter(0)};
    sizes.positions =
        static_cast<std::size_t>(model::elementCount(source.inputShape())) / sizes.inputs;
    if (source.node().tensors.size() > 1) sizes.bias = source.parameter(1);
    return sizes;
}

Kernel forward(const KernelSource& source) {
    const model::Activation fused = source.instruction().fused;
    const bool isRelu = fused.function == model::Function::Relu;
    return [sizes = sizesOf(source), x = source.read(0), y = source.write(), isRelu,
            activate = inPlace(fused), &kernels = tensor::bestKernels()](const Frame& frame) {
        const std::size_t rows = sizes.rows(frame);
        float* out = y.write(frame);
        tensor::multiplyByTransposed({x.read(frame), rows, sizes.inputs},
                                     {sizes.weight.read(frame), sizes.units, sizes.inputs},
                                     {out, rows, sizes.units});
        if (sizes.bias && isRelu) {
            kernels.addBiasRelu(out, sizes.bias->read(frame), rows, sizes.units);
            return;
        }
        if (sizes.bias) kernels.addBias(out, sizes.bias->read(frame), rows, sizes.units);
        if (activate) activate(out, rows * sizes.units);
    };
}

Kernel parameterGradient(const KernelSource& source) {
    return [sizes = sizesOf(source), x = source.read(0), dy = source.read(1),
            adds = source.instruction().adds, trainsWeight = source.tensor(0).isTrainable,
            trainsBias = source.node().tensors.size() > 1 && source.tensor(1).isTrainable,
            own = std::vector<float>(),
            &kernels = tensor::bestKernels()](const Frame& frame) mutable {
        const std::size_t rows = sizes.rows(frame);
        const tensor::ConstMatrix gradient{dy.read(frame), rows, sizes.units};
        const tensor::ConstMatrix input{x.read(frame), rows, sizes.inputs};
        float* weight = sizes.weight.gradient(frame);
        if (!trainsWeight) {
            // Frozen where it comes from, and used here: the bias alone is trained.
        } else if (adds) {  // a tensor that is used twice: what the other use gave is there
            own.resize(sizes.units * sizes.inputs);
            tensor::multiplyTransposedBy(gradient, input, {own.data(), sizes.units, sizes.inputs});
            for (std::size_t i = 0; i < own.size(); ++i)
                weight[i] += own[i];
        } else {
            tensor::multiplyTransposedBy(gradient, input, {weight, sizes.units, sizes.inputs});
        }
        if (trainsBias)
            kernels.columnSums(gradient.data, rows, sizes.units, sizes.bias->gradient(frame));
    };
}

Kernel inputGradient(const KernelSource& source) {
    return [sizes = sizesOf(source), dy = source.read(0), dx = source.write()](const Frame& frame) {
        const std::size_t rows = sizes.rows(frame);
        tensor::multiply({dy.read(frame), rows, sizes.units},
                         {sizes.weight.read(frame), sizes.units, sizes.inputs},
                         {dx.write(frame), rows, sizes.inputs});
    };
}

}  // namespace

Result<Kernel> makeDenseKernel(const KernelSource& source) {
    return byAction(source, {.forward = forward,
                             .parameterGradient = parameterGradient,
                             .inputGradient = inputGradient});
}

}  // namespace lockstep::program
