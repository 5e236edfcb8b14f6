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

    /// A start of the run goes on behind `step`: what was said of later ones counts no more.
    void begin(int start, std::int64_t step);
    /// What one replica says, at steps that grow. A step at or before one that it said before
    /// counts anew, and so does what follows.
    [[nodiscard]] Piece add(int replica, std::span<const std::int64_t> steps,
                            std::span<const double> values, const ReplicasAt& replicasAt);

private:
    void rewind(std::int64_t step);
    [[nodiscard]] Piece insert(Piece found);

    void forgetPassed(const ReplicasAt& replicasAt);

    /// How many steps wait for replicas that have not said them, though all have said later ones.
    static constexpr std::size_t kMostWaiting = 4096;
    /// Of a run that is opened late, one replica's come after all of another's: so many may wait
    /// for one that has said nothing yet.
    static constexpr std::size_t kMostSilent = 1'000'000;
    int start_ = -1;                                         // the newest that was begun
    std::map<std::int64_t, std::map<int, double>> waiting_;  // by step, replica
    std::map<int, std::int64_t> newest_;                     // what each replica said last
    Piece known_;  ///< All that were found: a start with more replicas may be complete after a
                   ///< later one with fewer.
};

}  // namespace lockstep::ui
