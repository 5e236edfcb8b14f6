// SPDX-License-Identifier: Apache-2.0
// A transposed convolution is the convolution that its window says, the other way: it takes what
// that one gives. Its three passes are that one's, each in the place of another.
#include <algorithm>
#include <memory>
#include <optional>
#include <variant>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/program/cpu/convolution_by_batch.h"
#include "core/program/cpu/kernels.h"
#include "core/program/cpu/shapes.h"
#include "core/tensor/cpu/kernels.h"

namespace lockstep::program {

namespace {

/// Of the convolution that takes this node's output.
tensor::ConvolutionShape shapeOf(const KernelSource& source) {
    const auto& operation = std::get<model::TransposedConvolution>(source.node().operation);
    const ImageShape output(source.node().shape);
    tensor::ConvolutionShape shape;
    shape.height = output.height;
    shape.width = output.width;
    shape.channels = output.channels;
    shape.filters = static_cast<std::size_t>(source.inputShape().back());
    shape.window = windowOf(operation.window);
    return shape;
}

tensor::ConvolutionPass passOf(Action action) {
    if (action == Action::Forward) return tensor::ConvolutionPass::InputGradient;
    return action == Action::ParameterGradient ? tensor::ConvolutionPass::WeightGradient
                                               : tensor::ConvolutionPass::Forward;
}

using Shared = std::shared_ptr<ConvolutionByBatch>;

std::optional<std::size_t> biasOf(const KernelSource& source) {
    return source.node().tensors.size() > 1 ? std::optional(source.offset(1)) : std::nullopt;
}

Kernel::Run forward(const KernelSource& source, const Shared& convolutions) {
    const model::Activation fused = source.instruction().fused;
    const bool isRelu = fused.function == model::Function::Relu;
    return [convolutions, weight = source.offset(0), bias = biasOf(source), x = source.read(0),
            y = source.write(), isRelu, activate = inPlace(fused),
            &kernels = tensor::bestKernels()](const Frame& frame) {
        if (frame.rows == 0) return;
        ConvolutionByBatch& all = *convolutions;
        const std::span<float> out(y.write(frame), all.inputs(frame.rows));
        all.of(frame.rows)
            .inputGradient({x.read(frame), all.outputs(frame.rows)},
                           {frame.parameters + weight, all.weightSize()}, out);
        const std::size_t filters = all.channels();
        if (bias && isRelu) {
            kernels.addBiasRelu(out.data(), frame.parameters + *bias, out.size() / filters,
                                filters);
            return;
        }
        if (bias)
            kernels.addBias(out.data(), frame.parameters + *bias, out.size() / filters, filters);
        if (activate) activate(out.data(), out.size());
    };
}

Kernel::Run parameterGradient(const KernelSource& source, const Shared& convolutions) {
    LS_CHECK(!source.instruction().adds, "no two convolutions share their weights");
    return [convolutions, weight = source.offset(0), bias = biasOf(source), x = source.read(0),
            dy = source.read(1), &kernels = tensor::bestKernels()](const Frame& frame) {
        ConvolutionByBatch& all = *convolutions;
        const std::span<float> dWeight(frame.gradients + weight, all.weightSize());
        const std::size_t filters = all.channels();
        if (bias)
            kernels.columnSums(dy.read(frame), all.inputs(frame.rows) / filters, filters,
                               frame.gradients + *bias);
        if (frame.rows == 0) {
            std::ranges::fill(dWeight, 0.0F);
            return;
        }
        all.of(frame.rows)
            .weightGradient({dy.read(frame), all.inputs(frame.rows)},
                            {x.read(frame), all.outputs(frame.rows)}, dWeight, {});
    };
}

Kernel::Run inputGradient(const KernelSource& source, const Shared& convolutions) {
    return [convolutions, weight = source.offset(0), dy = source.read(0),
            dx = source.write()](const Frame& frame) {
        if (frame.rows == 0) return;
        ConvolutionByBatch& all = *convolutions;
        all.of(frame.rows)
            .forward({dy.read(frame), all.inputs(frame.rows)},
                     {frame.parameters + weight, all.weightSize()}, {},
                     {dx.write(frame), all.outputs(frame.rows)}, false);
    };
}

Kernel::Run runOf(const KernelSource& source, const Shared& convolutions) {
    switch (source.action()) {
        case Action::Forward:
            return forward(source, convolutions);
        case Action::ParameterGradient:
            return parameterGradient(source, convolutions);
        default:
            return inputGradient(source, convolutions);
    }
}

}  // namespace

Result<Kernel> makeTransposedConvolutionKernel(const KernelSource& source) {
    const auto convolutions =
        std::make_shared<ConvolutionByBatch>(shapeOf(source), passOf(source.action()));
    TRY(convolutions->prepare(source.program().maxBatch));
    return Kernel(runOf(source, convolutions),
                  [convolutions](std::int64_t rows) { return convolutions->prepare(rows); });
}

}  // namespace lockstep::program
