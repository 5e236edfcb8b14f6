// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <variant>

#include "core/base/check.h"
#include "core/base/try.h"
#include "core/program/cpu/kernels.h"
#include "core/program/cpu/shapes.h"
#include "core/tensor/cpu/layers/convolution.h"

namespace lockstep::program {

namespace {

tensor::ConvolutionShape shapeOf(const KernelSource& source, std::int64_t batch) {
    const auto& operation = std::get<model::Convolution>(source.node().operation);
    const ImageShape input(source.inputShape());
    tensor::ConvolutionShape shape;
    shape.batch = static_cast<std::size_t>(batch);
    shape.height = input.height;
    shape.width = input.width;
    shape.channels = input.channels;
    shape.filters = static_cast<std::size_t>(source.node().shape.back());
    shape.window = windowOf(operation.window);
    shape.groups = static_cast<std::size_t>(operation.groups);
    return shape;
}

tensor::ConvolutionPass passOf(Action action) {
    if (action == Action::Forward) return tensor::ConvolutionPass::Forward;
    return action == Action::ParameterGradient ? tensor::ConvolutionPass::WeightGradient
                                               : tensor::ConvolutionPass::InputGradient;
}

/// A convolution for each size of batch that comes: the whole one, the small last one of an epoch.
class ByBatch {
public:
    explicit ByBatch(const KernelSource& source)
        : shape_(shapeOf(source, source.program().maxBatch)), pass_(passOf(source.action())) {}

    /// Unavailable where oneDNN has no room for it; nothing is made for a batch without samples.
    [[nodiscard]] Result<void> prepare(std::int64_t rows) {
        if (rows == 0 || made_.contains(rows)) return {};
        tensor::ConvolutionShape shape = shape_;
        shape.batch = static_cast<std::size_t>(rows);
        made_.emplace(rows, TRY(tensor::Convolution::make(shape, {pass_})));
        return {};
    }
    /// Of a batch that was prepared.
    [[nodiscard]] tensor::Convolution& of(std::int64_t rows) { return made_.at(rows); }
    [[nodiscard]] std::size_t weightSize() const { return shape_.weightSize(); }
    [[nodiscard]] std::size_t filters() const { return shape_.filters; }
    [[nodiscard]] std::size_t inputs(std::int64_t rows) const {
        return static_cast<std::size_t>(rows) * shape_.imageSize();
    }
    [[nodiscard]] std::size_t outputs(std::int64_t rows) const {
        return static_cast<std::size_t>(rows) * shape_.placeCount() * shape_.filters;
    }

private:
    tensor::ConvolutionShape shape_;
    tensor::ConvolutionPass pass_{};
    std::map<std::int64_t, tensor::Convolution> made_;
};

/// Where the node's tensors lie.
struct Tensors {
    explicit Tensors(const KernelSource& source) : weight(source.offset(0)) {
        if (source.node().tensors.size() > 1) bias = source.offset(1);
    }
    std::size_t weight;
    std::optional<std::size_t> bias;
};

Kernel::Run forward(const KernelSource& source, const std::shared_ptr<ByBatch>& convolutions) {
    const model::Activation fused = source.instruction().fused;
    const bool isRelu = fused.function == model::Function::Relu;
    return [convolutions, tensors = Tensors(source), x = source.read(0), y = source.write(), isRelu,
            activate = isRelu ? nullptr : inPlace(fused)](const Frame& frame) {
        if (frame.rows == 0) return;
        ByBatch& all = *convolutions;
        const std::span<float> out(y.write(frame), all.outputs(frame.rows));
        const std::span<const float> bias =
            tensors.bias ? std::span(frame.parameters + *tensors.bias, all.filters())
                         : std::span<const float>();
        all.of(frame.rows)
            .forward({x.read(frame), all.inputs(frame.rows)},
                     {frame.parameters + tensors.weight, all.weightSize()}, bias, out, isRelu);
        if (activate) activate(out.data(), out.size());
    };
}

Kernel::Run parameterGradient(const KernelSource& source,
                              const std::shared_ptr<ByBatch>& convolutions) {
    LS_CHECK(!source.instruction().adds, "no two convolutions share their weights");
    return [convolutions, tensors = Tensors(source), x = source.read(0),
            dy = source.read(1)](const Frame& frame) {
        ByBatch& all = *convolutions;
        const std::span<float> dWeight(frame.gradients + tensors.weight, all.weightSize());
        const std::span<float> dBias =
            tensors.bias ? std::span(frame.gradients + *tensors.bias, all.filters())
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

Kernel::Run inputGradient(const KernelSource& source,
                          const std::shared_ptr<ByBatch>& convolutions) {
    return [convolutions, tensors = Tensors(source), dy = source.read(0),
            dx = source.write()](const Frame& frame) {
        if (frame.rows == 0) return;
        ByBatch& all = *convolutions;
        all.of(frame.rows)
            .inputGradient({dy.read(frame), all.outputs(frame.rows)},
                           {frame.parameters + tensors.weight, all.weightSize()},
                           {dx.write(frame), all.inputs(frame.rows)});
    };
}

Kernel::Run runOf(const KernelSource& source, const std::shared_ptr<ByBatch>& convolutions) {
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

Result<Kernel> makeConvolutionKernel(const KernelSource& source) {
    const auto convolutions = std::make_shared<ByBatch>(source);
    TRY(convolutions->prepare(source.program().maxBatch));
    return Kernel(runOf(source, convolutions),
                  [convolutions](std::int64_t rows) { return convolutions->prepare(rows); });
}

}  // namespace lockstep::program
