// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::job {

/// A figure of a whole job over its steps: what its replicas said of each step, as their mean,
/// least and most. Memory grows with the steps, not with the replicas.
class StepCurve {
public:
    /// Consecutive steps as one: nothing of them is beyond `least` and `most`.
    struct Point {
        std::int64_t firstStep = 0;
        std::int64_t lastStep = 0;
        double mean = 0;
        double least = 0;
        double most = 0;
    };

    /// The value of one replica, of which `start` of the run. The first of a later start takes the
    /// place of that step and of all behind it: they were trained anew, or never again. What is no
    /// number is counted, and no more.
    void add(std::int64_t step, double value, std::size_t start);

    [[nodiscard]] bool empty() const { return slots_.empty(); }
    [[nodiscard]] std::uint64_t notFinite() const { return notFinite_; }
    /// In order, at most `most` (at least 1) of them, of as many steps each.
    [[nodiscard]] std::vector<Point> points(std::size_t most) const;

private:
    struct Slot {
        std::int64_t step = 0;
        std::uint32_t count = 0;
        double sum = 0;
        float least = 0;
        float most = 0;
    };
    std::vector<Slot> slots_;  // in order of their steps
    std::size_t start_ = 0;    // the newest one that has said something
    std::uint64_t notFinite_ = 0;
};

}  // namespace lockstep::job
