// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "core/base/check.h"
#include "core/program/cpu/convolution_by_batch.h"
#include "core/program/cpu/kernels.h"

namespace lockstep::program {

namespace {

/// Where the node's tensors lie.
struct Tensors {
    explicit Tensors(const KernelSource& source) : weight(source.parameter(0)) {
        if (source.node().tensors.size() > 1) bias = source.parameter(1);
    }
    TensorPlace weight;
    std::optional<TensorPlace> bias;
};

Kernel::Run forward(const KernelSource& source, const SharedConvolution& convolutions) {
    const model::Activation fused = source.instruction().fused;
    const bool isRelu = fused.function == model::Function::Relu;
    return [convolutions, tensors = Tensors(source), x = source.read(0), y = source.write(), isRelu,
            activate = isRelu ? nullptr : inPlace(fused)](const Frame& frame) {
        if (frame.rows == 0) return;
        ConvolutionByBatch& all = *convolutions;
        const std::span<float> out(y.write(frame), all.outputs(frame.rows));
        const std::span<const float> bias =
            tensors.bias ? std::span(tensors.bias->read(frame), all.filters())
                         : std::span<const float>();
        all.of(frame.rows)
            .forward({x.read(frame), all.inputs(frame.rows)},
                     {tensors.weight.read(frame), all.weightSize()}, bias, out, isRelu);
        if (activate) activate(out.data(), out.size());
    };
}

Kernel::Run parameterGradient(const KernelSource& source, const SharedConvolution& convolutions) {
    LS_CHECK(!source.instruction().adds, "no two convolutions share their weights");
    return [convolutions, tensors = Tensors(source), x = source.read(0),
            dy = source.read(1)](const Frame& frame) {
        ConvolutionByBatch& all = *convolutions;
        const std::span<float> dWeight(tensors.weight.gradient(frame), all.weightSize());
        const std::span<float> dBias = tensors.bias
                                           ? std::span(tensors.bias->gradient(frame), all.filters())
                                           : std::span<float>();
        if (frame.rows == 0) {
            std::ranges::fill(dWeight, 0.0F);
            std::ranges::fill(dBias, 0.0F);
            return;
        }
        all.of(frame.rows)
            .weightGradient({x.read(frame), all.inputs(frame.rows)},
                            {dy.read(frame), all.outputs(frame.rows)}, dWeight, dBias);
    };
}

Kernel::Run inputGradient(const KernelSource& source, const SharedConvolution& convolutions) {
    return [convolutions, tensors = Tensors(source), dy = source.read(0),
            dx = source.write()](const Frame& frame) {
        if (frame.rows == 0) return;
        ConvolutionByBatch& all = *convolutions;
        all.of(frame.rows)
            .inputGradient({dy.read(frame), all.outputs(frame.rows)},
                           {tensors.weight.read(frame), all.weightSize()},
                           {dx.write(frame), all.inputs(frame.rows)});
    };
}

}  // namespace

Result<Kernel> makeConvolutionKernel(const KernelSource& source) {
    return makeConvolution(source, {forward, parameterGradient, inputGradient});
}

}  // namespace lockstep::program
