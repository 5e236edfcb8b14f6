// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace lockstep::ui {

/// The mean over all replicas of a named figure, which comes at steps of its own: of every step
/// that all of them have said. How many there are may differ from one start of the run to the next.
/// Values that are not finite do not hide the others'.
class ScalarMean {
public:
    /// Means in order of their steps; they take the place of those of the first step and all after
    /// it.
    struct Piece {
        std::vector<std::int64_t> steps;
        std::vector<float> values;
    };
    /// How many replicas say a step's value; 0: not known yet.
    using ReplicasAt = std::function<int(std::int64_t step)>;

    /// What one replica says, at steps that grow. A step at or before one that it said before
    /// (after a restart from a checkpoint) counts anew, and so does what follows.
    [[nodiscard]] Piece add(int replica, std::span<const std::int64_t> steps,
                            std::span<const double> values, const ReplicasAt& replicasAt);

private:
    void rewind(std::int64_t step);
    [[nodiscard]] Piece insert(Piece found);

    /// How many steps wait for replicas that have not said them yet: one that never does costs no
    /// more than this.
    static constexpr std::size_t kMostWaiting = 4096;
    std::map<std::int64_t, std::map<int, double>> waiting_;  // by step, replica
    std::map<int, std::int64_t> newest_;                     // what each replica said last
    Piece known_;  ///< All that were found: a start with more replicas may be complete after a
                   ///< later one with fewer.
};

}  // namespace lockstep::ui
