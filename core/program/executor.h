// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "core/base/result.h"
#include "core/program/instruction_times.h"
#include "core/program/program.h"

namespace lockstep::program {

/// Sums over all replicas in the middle of a step: what a synchronised normalisation needs.
class ReplicaSum {
public:
    virtual ~ReplicaSum() = default;
    /// Replaces `values` by their sums over all replicas, added in replica order. Every replica
    /// calls it as often as the others, with as many values.
    [[nodiscard]] virtual Result<void> sum(std::span<double> values) = 0;
};

/// A replica alone: sums are what they are.
class NoReplicaSum final : public ReplicaSum {
public:
    [[nodiscard]] Result<void> sum(std::span<double> /*values*/) override { return {}; }
};

/// The members of a mesh's group, who share the tensors of one network: what a program that
/// splitGraph() made asks of the others.
class MeshGroup {
public:
    virtual ~MeshGroup() = default;
    /// What every member has, in their order, in `all` (members x mine.size()). Every member calls
    /// it as often as the others, with as many numbers.
    [[nodiscard]] virtual Result<void> gather(std::span<const float> mine,
                                              std::span<float> all) = 0;
    /// Whether so many numbers are added sooner by pieces, of which each member adds one and hands
    /// the sum to all, than by each member from what all have gathered. Equal on all members.
    [[nodiscard]] virtual bool addsByPieces(std::size_t /*numbers*/) const { return false; }
    /// Piece i of `mine`, one for each member, to member i; those for this one, in the members'
    /// order, in `pieces`, which is as large. Called as gather() is.
    [[nodiscard]] virtual Result<void> deal(std::span<const float> mine,
                                            std::span<float> pieces) = 0;
};

/// One replica's part of a step.
struct StepBatch {
    std::span<const float> samples;  ///< rows x the sample's size. Unchanged until backward() ends.
    std::int64_t rows = 0;   ///< 0: none, in a small last batch; sums are joined all the same.
    std::uint64_t seed = 0;  ///< Of the run, as the next two: what dropout depends on.
    std::int64_t step = 0;
    std::int64_t firstPlace = 0;  ///< Of the part within the global batch.
};

/// Runs the program of one replica on its device. It owns the arena, and carries a batch from
/// forward() to backward(). One thread.
class Executor {
public:
    virtual ~Executor() = default;

    [[nodiscard]] virtual const Program& program() const = 0;

    /// What the network gives for the batch, rows x the output's size; valid until the next call.
    /// In training it updates `statistics`. Errors are those of `sum`.
    [[nodiscard]] virtual Result<std::span<const float>> forward(const StepBatch& batch,
                                                                 std::span<const float> parameters,
                                                                 std::span<float> statistics,
                                                                 ReplicaSum& sum) = 0;
    /// Where the loss writes the gradient of what forward() gave, before backward().
    [[nodiscard]] virtual std::span<float> outputGradient() = 0;
    /// After the loss: overwrites the gradients of all trainable tensors in the flat buffer, the
    /// last first. `onComplete(begin)` tells that those of [begin, end) are final, and that their
    /// parameters are not read again; the last call says 0.
    [[nodiscard]] virtual Result<void> backward(
        std::span<const float> parameters, std::span<float> gradients, ReplicaSum& sum,
        const std::function<void(std::size_t)>& onComplete) = 0;

    /// From now on adds up what each instruction takes, but exchanges with others; null: no longer.
    /// `times` outlives that.
    virtual void timeInto(InstructionTimes* times) = 0;
};

}  // namespace lockstep::program
