// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/model/graph.h"
#include "core/program/parameter_layout.h"
#include "core/tensor/cpu/layers/convolution_method.h"

namespace lockstep::program {

/// Index of Program::values.
using ValueId = int;

/// Numbers that one instruction writes and others read: for every sample of a batch, or for the
/// batch as a whole. Written once, so that what is alive at any moment is known beforehand.
struct Value {
    std::int64_t perSample = 0;  ///< Floats a sample, one sample behind the other.
    std::int64_t perBatch = 0;   ///< Floats whatever the batch: sums of channels, say.
    std::int64_t offset = 0;     ///< First float in the arena; values that overlap do not meet.

    /// Floats for `batch` samples.
    [[nodiscard]] std::int64_t size(std::int64_t batch) const {
        return perSample * batch + perBatch;
    }
};

/// What an instruction does with its node's operation.
enum class Action : std::uint8_t {
    /// Reads the inputs; writes the output, and what backward wants besides.
    Forward,
    /// Sums of a batch normalisation over this replica's samples, in double: of each channel, then
    /// of the squares, then the count. Reads the input.
    BatchSums,
    /// Adds a value's doubles over all replicas, in replica order. Reads and overwrites it.
    SumAcrossReplicas,
    /// Reads the gradient of the output, and what forward kept; overwrites the gradients of the
    /// node's own tensors in the flat buffer, or adds to them.
    ParameterGradient,
    /// As BatchSums for the two sums of a batch normalisation's gradient; the gradients of weight
    /// and bias with it.
    GradientSums,
    /// Reads the gradient of the output, and what forward kept; writes that of each input which
    /// wants one.
    InputGradient,
    /// Reads two gradients of one value, writes their sum; with a fused relu the sum where what it
    /// gave, which is read, too, is above 0.
    Accumulate,
    /// Of a member of a mesh: all members' parts of the node's tensor `which`, which is written.
    GatherTensor,
    /// This member's part of that tensor's gradient, which is read, into the flat buffer.
    KeepGradient,
};

/// One step of a program. What `reads` and `writes` hold, in which order, is said at the head of
/// emit_forward.cpp and emit_backward.cpp.
struct Instruction {
    Action action = Action::Forward;
    int node = -1;  ///< Index of Graph::nodes.
    std::vector<ValueId> reads{};
    std::vector<ValueId> writes{};
    /// Of the node's tensors, where they or their gradients are values and not in the flat buffers:
    /// those that are gathered. -1: it is not. Empty: none is.
    std::vector<ValueId> tensors{};
    std::vector<ValueId> gradients{};
    std::size_t which = 0;  ///< GatherTensor, KeepGradient: index of the node's tensors.
    /// Applied to the output at once; the node of the activation itself has no instruction then.
    /// Backward: a relu whose derivative is taken into account.
    model::Activation fused{.function = model::Function::Linear};
    /// ParameterGradient: the weight, the first of the node's tensors, is used by another node,
    /// too, whose gradient is there already. No other tensor is shared. KeepGradient likewise.
    bool adds = false;
    bool overwrites = false;  ///< writes[0] may lie where reads[0] lies, which ends here.
    /// Behind this instruction the gradients of [completes, end of the buffer) are final, and their
    /// parameters are not read again in this step. -1: as before it.
    std::int64_t completes = -1;
};

/// What a step computes: instructions over planned memory. A pure function of the graph, the
/// largest batch and the mode; equal on all replicas.
struct Program {
    enum class Mode : std::uint8_t { Training, Evaluation };

    model::Graph graph;
    ParameterLayout layout;
    Mode mode = Mode::Training;
    std::int64_t maxBatch = 0;
    std::vector<Value>
        values{};  ///< 0 are the samples, which is the caller's and not in the arena.
    std::vector<Instruction> forward{};
    ValueId output = 0;                   ///< Logits, or predictions.
    ValueId outputGradient = -1;          ///< What the loss writes; Training only.
    std::vector<Instruction> backward{};  ///< Training only.
    std::int64_t arenaFloats = 0;
    std::int64_t unsharedFloats = 0;  ///< What the arena would take if no values shared memory.
    /// Of convolutions on the CPU, where the shipped rule is not to choose; on all replicas alike.
    tensor::ConvolutionMethods methods{};
};

}  // namespace lockstep::program
