// SPDX-License-Identifier: Apache-2.0
// The passes of the convolution that a transposed one is the other way (see ConvolutionUse).
#include <algorithm>
#include <optional>

#include "core/base/check.h"
#include "core/program/cpu/convolution_by_batch.h"
#include "core/program/cpu/kernels.h"
#include "core/tensor/cpu/kernels.h"

namespace lockstep::program {

namespace {

std::optional<TensorPlace> biasOf(const KernelSource& source) {
    return source.node().tensors.size() > 1 ? std::optional(source.parameter(1)) : std::nullopt;
}

Kernel::Run forward(const KernelSource& source, const SharedConvolution& convolutions) {
    const model::Activation fused = source.instruction().fused;
    const bool isRelu = fused.function == model::Function::Relu;
    return [convolutions, weight = source.parameter(0), bias = biasOf(source), x = source.read(0),
            y = source.write(), isRelu, activate = inPlace(fused),
            &kernels = tensor::bestKernels()](const Frame& frame) {
        if (frame.rows == 0) return;
        ConvolutionByBatch& all = *convolutions;
        const std::span<float> out(y.write(frame), all.inputs(frame.rows));
        all.of(frame.rows)
            .inputGradient({x.read(frame), all.outputs(frame.rows)},
                           {weight.read(frame), all.weightSize()}, out);
        const std::size_t filters = all.channels();
        if (bias && isRelu) {
            kernels.addBiasRelu(out.data(), bias->read(frame), out.size() / filters, filters);
            return;
        }
        if (bias) kernels.addBias(out.data(), bias->read(frame), out.size() / filters, filters);
        if (activate) activate(out.data(), out.size());
    };
}

Kernel::Run parameterGradient(const KernelSource& source, const SharedConvolution& convolutions) {
    LS_CHECK(!source.instruction().adds, "no two convolutions share their weights");
    return [convolutions, weight = source.parameter(0), bias = biasOf(source), x = source.read(0),
            dy = source.read(1), &kernels = tensor::bestKernels()](const Frame& frame) {
        ConvolutionByBatch& all = *convolutions;
        const std::span<float> dWeight(weight.gradient(frame), all.weightSize());
        const std::size_t filters = all.channels();
        if (bias)
            kernels.columnSums(dy.read(frame), all.inputs(frame.rows) / filters, filters,
                               bias->gradient(frame));
        if (frame.rows == 0) {
            std::ranges::fill(dWeight, 0.0F);
            return;
        }
        all.of(frame.rows)
            .weightGradient({dy.read(frame), all.inputs(frame.rows)},
                            {x.read(frame), all.outputs(frame.rows)}, dWeight, {});
    };
}

Kernel::Run inputGradient(const KernelSource& source, const SharedConvolution& convolutions) {
    return [convolutions, weight = source.parameter(0), dy = source.read(0),
            dx = source.write()](const Frame& frame) {
        if (frame.rows == 0) return;
        ConvolutionByBatch& all = *convolutions;
        all.of(frame.rows)
            .forward({dy.read(frame), all.inputs(frame.rows)},
                     {weight.read(frame), all.weightSize()}, {},
                     {dx.write(frame), all.outputs(frame.rows)}, false);
    };
}

}  // namespace

Result<Kernel> makeTransposedConvolutionKernel(const KernelSource& source) {
    return makeConvolution(source, {forward, parameterGradient, inputGradient});
}

}  // namespace lockstep::program
