// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace lockstep {

/// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
/// A pure function of key and counter: position and seed give the number, so a resumed run
/// needs no generator state. `counter` and `key` as in the paper.
[[nodiscard]] std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key);

/// A stream of Philox numbers: `seed` and `stream` select it, `next…` walks along it.
class CounterRng {
public:
    explicit CounterRng(std::uint64_t seed, std::uint64_t stream = 0);

    [[nodiscard]] std::uint32_t nextU32();
    /// Uniform in [0, bound), without modulo bias. `bound` is at least 1.
    [[nodiscard]] std::uint32_t nextBelow(std::uint32_t bound);
    /// Uniform in [0, 1) with 24 random bits.
    [[nodiscard]] float nextFloat();
    /// Uniform in [low, high).
    [[nodiscard]] float nextFloat(float low, float high);

private:
    std::array<std::uint32_t, 2> key_;
    std::array<std::uint32_t, 4> counter_;
    std::array<std::uint32_t, 4> block_{};
    unsigned used_ = 4;
};

/// A permutation of 0..count-1 that depends on `seed` and `stream` alone (Fisher-Yates).
[[nodiscard]] std::vector<std::uint32_t> permutation(std::uint32_t count, std::uint64_t seed,
                                                     std::uint64_t stream);

}  // namespace lockstep
