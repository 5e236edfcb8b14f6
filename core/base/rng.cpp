// SPDX-License-Identifier: Apache-2.0
#include "core/base/rng.h"

#include <numeric>
#include <utility>

namespace lockstep {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
    constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
    constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
    constexpr std::uint32_t kWeyl0 = 0x9E3779B9;
    constexpr std::uint32_t kWeyl1 = 0xBB67AE85;
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t product0 = kMultiplier0 * counter[0];
        const std::uint64_t product1 = kMultiplier1 * counter[2];
        counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
                   static_cast<std::uint32_t>(product1),
                   static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
                   static_cast<std::uint32_t>(product0)};
        key[0] += kWeyl0;
        key[1] += kWeyl1;
    }
    return counter;
}

CounterRng::CounterRng(std::uint64_t seed, std::uint64_t stream)
    : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
      counter_{0, 0, static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)} {
}

std::uint32_t CounterRng::nextU32() {
    if (used_ == block_.size()) {
        block_ = philox(counter_, key_);
        used_ = 0;
        if (++counter_[0] == 0) ++counter_[1];
    }
    return block_[used_++];
}

std::uint32_t CounterRng::nextBelow(std::uint32_t bound) {
    // Lemire's multiply-shift; the rejected part is what would favour small results.
    const std::uint32_t threshold = (0U - bound) % bound;
    for (;;) {
        const std::uint64_t product = static_cast<std::uint64_t>(nextU32()) * bound;
        if (static_cast<std::uint32_t>(product) >= threshold)
            return static_cast<std::uint32_t>(product >> 32);
    }
}

float CounterRng::nextFloat() {
    return static_cast<float>(nextU32() >> 8) * 0x1.0p-24F;
}

float CounterRng::nextFloat(float low, float high) {
    return low + (high - low) * nextFloat();
}

std::vector<std::uint32_t> permutation(std::uint32_t count, std::uint64_t seed,
                                       std::uint64_t stream) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0U);
    CounterRng rng(seed, stream);
    for (std::uint32_t i = count; i > 1; --i)
        std::swap(order[i - 1], order[rng.nextBelow(i)]);
    return order;
}

}  // namespace lockstep
