// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <functional>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "core/program/cpu/frame.h"

namespace lockstep::program {

/// An instruction ready to run: its operands' places and its sizes are bound.
class Kernel {
public:
    using Run = std::function<void(const Frame&)>;
    /// Makes ready what depends on the number of samples; Unavailable where there is no room.
    using Prepare = std::function<Result<void>(std::int64_t rows)>;

    template <typename Call>
    requires(std::convertible_to<Call, Run> && !std::same_as<Call, Kernel>)
        // NOLINTNEXTLINE(google-explicit-constructor): most kernels are but a call.
        Kernel(Call run)
        : run_(std::move(run)) {}
    Kernel(Run run, Prepare prepare) : run_(std::move(run)), prepare_(std::move(prepare)) {}

    void operator()(const Frame& frame) const { run_(frame); }
    /// Before the first batch of so many samples.
    [[nodiscard]] Result<void> prepare(std::int64_t rows) const {
        return prepare_ ? prepare_(rows) : Result<void>{};
    }

private:
    Run run_;
    Prepare prepare_;
};

/// What the makers of kernels see: an instruction of a program, with its node.
class KernelSource {
public:
    KernelSource(const Program& program, const Instruction& instruction)
        : program_(program), instruction_(instruction) {}

    [[nodiscard]] const Program& program() const { return program_; }
    [[nodiscard]] const Instruction& instruction() const { return instruction_; }
    [[nodiscard]] Action action() const { return instruction_.action; }
    [[nodiscard]] const model::Node& node() const {
        return program_.graph.nodes[static_cast<std::size_t>(instruction_.node)];
    }
    [[nodiscard]] const model::Shape& inputShape(std::size_t which = 0) const {
        return program_.graph.nodes[static_cast<std::size_t>(node().inputs[which])].shape;
    }
    [[nodiscard]] Place read(std::size_t which) const {
        return {program_, instruction_.reads[which]};
    }
    [[nodiscard]] Place write(std::size_t which = 0) const {
        return {program_, instruction_.writes[which]};
    }
    [[nodiscard]] TensorPlace parameter(std::size_t which) const {
        if (tensor(which).gatheredFrom < 0) return TensorPlace(offset(which));
        const auto placeIn = [&](const std::vector<ValueId>& values) {
            return which < values.size() && values[which] >= 0
                       ? std::optional(Place(program_, values[which]))
                       : std::nullopt;
        };
        return {placeIn(instruction_.tensors), placeIn(instruction_.gradients)};
    }
    /// Where the node's tensor `which` lies in the buffer of its role, in floats.
    [[nodiscard]] std::size_t offset(std::size_t which) const {
        return program_.layout.offsets[static_cast<std::size_t>(node().tensors[which])];
    }
    [[nodiscard]] const model::Tensor& tensor(std::size_t which) const {
        return program_.graph.tensors[static_cast<std::size_t>(node().tensors[which])];
    }

private:
    const Program& program_;
    const Instruction& instruction_;
};

/// What makes the kernels of an operation; null: the operation has no such instruction.
struct KernelMakers {
    using Maker = Kernel (*)(const KernelSource&);
    Maker forward = nullptr;
    Maker parameterGradient = nullptr;
    Maker inputGradient = nullptr;
    Maker batchSums = nullptr;
    Maker gradientSums = nullptr;
};
/// The kernel of the instruction's action.
[[nodiscard]] Kernel byAction(const KernelSource& source, const KernelMakers& makers);

// The makers, a family of operations each. Unavailable where memory or a library refuses.
[[nodiscard]] Result<Kernel> makeDenseKernel(const KernelSource& source);
[[nodiscard]] Result<Kernel> makeConvolutionKernel(const KernelSource& source);
[[nodiscard]] Result<Kernel> makePoolingKernel(const KernelSource& source);
[[nodiscard]] Result<Kernel> makeBatchNormalizationKernel(const KernelSource& source);
[[nodiscard]] Result<Kernel> makeLayerNormalizationKernel(const KernelSource& source);
[[nodiscard]] Result<Kernel> makeGroupNormalizationKernel(const KernelSource& source);
[[nodiscard]] Result<Kernel> makeTransposedConvolutionKernel(const KernelSource& source);
[[nodiscard]] Result<Kernel> makeRecurrenceKernel(const KernelSource& source);
[[nodiscard]] Result<Kernel> makeAttentionKernel(const KernelSource& source);
[[nodiscard]] Result<Kernel> makeEmbeddingKernel(const KernelSource& source);
[[nodiscard]] Result<Kernel> makeElementwiseKernel(const KernelSource& source);
[[nodiscard]] Result<Kernel> makeAccumulateKernel(const KernelSource& source);
[[nodiscard]] Result<Kernel> makeMovingKernel(const KernelSource& source);
[[nodiscard]] Result<Kernel> makeDropoutKernel(const KernelSource& source);
[[nodiscard]] Result<Kernel> makeMeshKernel(const KernelSource& source);

/// By the operation of the instruction's node.
[[nodiscard]] Result<Kernel> makeKernel(const KernelSource& source);

/// Applies an activation to `count` numbers in place, as what a fused node does at its end; null
/// for Linear.
[[nodiscard]] std::function<void(float* values, std::size_t count)> inPlace(
    const model::Activation& activation);

}  // namespace lockstep::program
