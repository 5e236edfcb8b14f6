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
    [[nodiscard]] ValueId valueOf(int node) const {
        return values_[static_cast<std::size_t>(node)];
    }
    [[nodiscard]] ValueId inputOf(int node, std::size_t which = 0) const;
    ValueId newValue(std::int64_t perSample, std::int64_t perBatch = 0);
    /// A value as large as what the node gives.
    ValueId valueLike(int node) { return newValue(model::elementCount(this->node(node).shape)); }

    void findFusions();
    [[nodiscard]] bool isTraining() const { return program_.mode == Program::Mode::Training; }
    void emitForwardOf(int node);
    void emitBatchNormalization(int node, Instruction forward);

    void findWhatWantsGradients();
    [[nodiscard]] bool wantsGradient(int node) const {
        return wantsGradient_[static_cast<std::size_t>(node)];
    }
    [[nodiscard]] bool trainsItsTensors(int node) const;
    void emitBackwardOf(int node);
    /// The gradient of a node's output: the sum of what its readers gave; -1: nobody did.
    [[nodiscard]] ValueId gradientOf(int node);
    void give(int node, ValueId gradient);
    void emitParameterGradient(int node, ValueId gradient);
    [[nodiscard]] ValueId emitGradientSums(int node, ValueId gradient);
    [[nodiscard]] std::vector<ValueId> neededForInputGradient(int node) const;
    void emitInputGradient(int node, ValueId gradient);
    void markCompletions();

    Program& program_;
    std::vector<ValueId> values_;       ///< Of each node's output.
    std::vector<Kept> kept_;            ///< Of each node: what backward wants besides.
    std::vector<int> fusedInto_;        ///< Of an activation: the node that computes it; else -1.
    std::vector<int> fusedActivation_;  ///< The other way.
    std::vector<bool> wantsGradient_;
    std::vector<std::vector<ValueId>> gradients_;  ///< Of each node's output, by its readers.
    std::vector<bool> hasGradient_;                ///< Of each tensor: written by an instruction.
};

/// Whether the derivative is a function of what the activation gave: then its input need not be
/// kept.
[[nodiscard]] bool derivesFromOutput(const model::Activation& activation);

}  // namespace lockstep::program
