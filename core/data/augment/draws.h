// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "core/base/rng.h"

namespace lockstep::data {

/// The random numbers of one change of one sample in one epoch.
class Draws {
public:
    /// `seed`: of the epoch, see epochSeed. `change`: which of the job's list.
    Draws(std::uint64_t seed, std::size_t change, std::uint32_t sample)
        : rng_(seed, (static_cast<std::uint64_t>(change) << 32) | sample) {}

    /// Uniform in [0, 1), with 53 random bits.
    [[nodiscard]] double uniform();
    /// Uniform in [low, high); low where both are equal.
    [[nodiscard]] double between(double low, double high) { return low + (high - low) * uniform(); }
    [[nodiscard]] double between(const std::array<double, 2>& range) {
        return between(range[0], range[1]);
    }
    /// Uniform in [0, bound).
    [[nodiscard]] std::uint32_t below(std::uint32_t bound) { return rng_.nextBelow(bound); }
    [[nodiscard]] std::uint32_t bits() { return rng_.nextU32(); }
    /// Beta(alpha, alpha), for alpha above 0 and at most 1 (Jöhnk's algorithm).
    [[nodiscard]] double beta(double alpha);

private:
    CounterRng rng_;
};

/// What an epoch's changes are drawn with: numbers that nothing else of the job is drawn from.
[[nodiscard]] std::uint64_t epochSeed(std::uint64_t seed, std::int64_t epoch);

}  // namespace lockstep::data
