// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <variant>
#include <vector>

#include "core/program/program.h"

namespace lockstep::program {

/// What the emitting of forward and of backward instructions share: where the value of each node
/// lies, what forward keeps for backward, and which activations are computed by the node before
/// them.
class Emitter {
public:
    explicit Emitter(Program& program);

    /// Appends the instructions of all nodes, in the graph's order.
    void emitForward();
    /// Appends the instructions of all nodes in the opposite order. After emitForward().
    void emitBackward();

private:
    using Kept = std::vector<ValueId>;

    [[nodiscard]] const model::Node& node(int index) const {
        return program_.graph.nodes[static_cast<std::size_t>(index)];
    }
    template <typename Operation>
    [[nodiscard]] const Operation* as(int index) const {
        return std::get_if<Operation>(&node(index).operation);
    }
    [[nodiscard]] ValueId valueOf(int index) const {
        return values_[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] ValueId inputOf(int index, std::size_t which = 0) const;
    ValueId newValue(std::int64_t perSample, std::int64_t perBatch = 0);
    /// A value as large as what the node gives.
    ValueId valueLike(int index) { return newValue(model::elementCount(node(index).shape)); }

    void findFusions();
    [[nodiscard]] int computesAt(int activation,
                                 const std::vector<std::vector<int>>& readers) const;
    [[nodiscard]] bool isRelu(int index) const;
    [[nodiscard]] bool exchanges(int index, model::MeshExchange::Kind kind) const {
        const auto* exchange = as<model::MeshExchange>(index);
        return exchange != nullptr && exchange->kind == kind;
    }
    [[nodiscard]] bool isTraining() const { return program_.mode == Program::Mode::Training; }
    /// Whether the node normalises by the batch: in training, unless its statistics stay as they
    /// were loaded. Then it is what it is in evaluation, as in Keras.
    [[nodiscard]] bool normalizesBatch(int index) const;
    void emitForwardOf(int index);
    /// Appends an instruction, behind those that gather the tensors which it reads.
    void push(std::vector<Instruction>& to, Instruction instruction);
    [[nodiscard]] std::vector<ValueId> valuesForGathered(int index);
    [[nodiscard]] bool isGathered(int tensor) const {
        return program_.graph.tensors[static_cast<std::size_t>(tensor)].gatheredFrom >= 0;
    }
    /// The tensor that lies in the flat buffers.
    [[nodiscard]] std::size_t stored(int tensor) const;
    /// Appends an instruction that gives gradients of the node's tensors.
    void pushGradient(Instruction instruction);
    void emitBatchNormalization(int index, Instruction forward);
    void emitRecurrence(int index, Instruction forward);

    void findWhatWantsGradients();
    [[nodiscard]] bool wantsGradient(int index) const {
        return wantsGradient_[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] bool trainsItsTensors(int index) const;
    void emitBackwardOf(int index);
    /// The gradient of a node's output: the sum of what its readers gave; -1: nobody did.
    [[nodiscard]] ValueId gradientOf(int index);
    [[nodiscard]] bool isMaskedElsewhere(int activation) const;
    void emitFusedGradient(int activation);
    void maskByOutput(int index, Instruction& instruction) const;
    void give(int index, ValueId gradient);
    void emitParameterGradient(int index, ValueId gradient);
    [[nodiscard]] ValueId emitGradientSums(int index, ValueId gradient);
    [[nodiscard]] std::vector<ValueId> neededForInputGradient(int index) const;
    void emitInputGradient(int index, ValueId gradient);
    void emitRecurrenceGradients(int index, ValueId gradient);
    void markCompletions();

    Program& program_;
    std::vector<ValueId> values_;  ///< Of each node's output.
    std::vector<Kept> kept_;       ///< Of each node: what backward wants besides.
    /// Of an activation: the node that computes it, before or behind it; else -1.
    std::vector<int> fusedInto_;
    std::vector<int> fusedActivation_;  ///< The other way.
    std::vector<bool> wantsGradient_;
    std::vector<std::vector<ValueId>> gradients_;  ///< Of each node's output, by its readers.
    std::vector<bool> hasGradient_;                ///< Of each tensor: written by an instruction.
};

/// Whether the derivative is a function of what the activation gave: then its input need not be
/// kept.
[[nodiscard]] bool derivesFromOutput(const model::Activation& activation);

}  // namespace lockstep::program
