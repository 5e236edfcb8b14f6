// SPDX-License-Identifier: Apache-2.0
#include "core/data/augment/draws.h"

#include <algorithm>

#include "core/base/plain_math.h"

namespace lockstep::data {

double Draws::uniform() {
    const std::uint64_t high = rng_.nextU32() >> 5;
    const std::uint64_t low = rng_.nextU32() >> 6;
    return static_cast<double>((high << 26) | low) * 0x1.0p-53;
}

/// In logarithms: with a small alpha both powers are too small for a number.
double Draws::beta(double alpha) {
    for (;;) {
        const double u = naturalLog(1 - uniform()) / alpha;
        const double v = naturalLog(1 - uniform()) / alpha;
        const double larger = std::max(u, v);
        const double sum = larger + naturalLog(exponential(u - larger) + exponential(v - larger));
        if (sum <= 0) return exponential(u - sum);
    }
}

std::uint64_t epochSeed(std::uint64_t seed, std::int64_t epoch) {
    constexpr std::uint32_t kPurpose = 0x41554720;  // counters of the streams end in other words
    const auto number = static_cast<std::uint64_t>(epoch);
    const auto words =
        philox({static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32),
                kPurpose, kPurpose},
               {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    return (static_cast<std::uint64_t>(words[1]) << 32) | words[0];
}

}  // namespace lockstep::data
