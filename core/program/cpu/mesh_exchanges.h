// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/program/cpu/frame.h"
#include "core/program/executor.h"
#include "core/program/program.h"

namespace lockstep::program {

/// The instructions of a program that wait for the other members of a mesh's group. Sums are added
/// in the members' order, so that all hold the same bits.
class MeshExchanges {
public:
    /// Both must outlive it. `group` may be null where the program has no such instructions.
    MeshExchanges(const Program& program, MeshGroup* group) : program_(program), group_(group) {}

    [[nodiscard]] bool isOne(const Instruction& instruction) const;
    /// Numbers that this member gives at a time, at most, with the program's largest batch.
    [[nodiscard]] std::size_t largest() const;
    [[nodiscard]] Result<void> run(const Instruction& instruction, const Frame& frame);

private:
    [[nodiscard]] Result<std::span<const float>> gather(std::span<const float> mine,
                                                        std::size_t members);
    /// `sums` = what the members have, added in their order.
    [[nodiscard]] Result<void> add(std::span<const float> mine, std::span<float> sums,
                                   std::size_t members);
    [[nodiscard]] Result<void> addByPieces(std::span<const float> mine, std::span<float> sums,
                                           std::size_t members);
    [[nodiscard]] Result<void> sum(const Instruction& instruction, const Frame& frame);
    [[nodiscard]] Result<void> join(const Instruction& instruction, const Frame& frame);
    [[nodiscard]] Result<void> gatherTensor(const Instruction& instruction, const Frame& frame);
    [[nodiscard]] const model::Node& nodeOf(const Instruction& instruction) const {
        return program_.graph.nodes[static_cast<std::size_t>(instruction.node)];
    }

    const Program& program_;
    MeshGroup* group_;
    std::vector<float> all_;   ///< What the members gave.
    std::vector<float> mine_;  ///< What this one gives, as pieces of equal size.
    std::vector<float> own_;   ///< The sums of its piece.
};

}  // namespace lockstep::program
