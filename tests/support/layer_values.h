// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "core/base/rng.h"

namespace lockstep::testing {

using Floats = std::vector<float>;
using Doubles = std::vector<double>;

/// Numbers of the stream `stream` of one seed.
inline Floats randomFloats(std::size_t count, std::uint64_t stream, float low = -1,
                           float high = 1) {
    CounterRng rng(17, stream);
    Floats values(count);
    for (float& value : values)
        value = rng.nextFloat(low, high);
    return values;
}

inline bool sameBits(std::span<const float> a, std::span<const float> b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

/// The largest difference, relative to the largest expected size where that is above 1; infinity
/// where one is NaN or the lengths differ.
inline double worstError(std::span<const float> found, std::span<const double> expected) {
    if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
    double size = 1;
    double error = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const double difference = std::abs(static_cast<double>(found[i]) - expected[i]);
        if (!(difference <= std::numeric_limits<double>::max()))
            return std::numeric_limits<double>::infinity();
        error = std::max(error, difference);
        size = std::max(size, std::abs(expected[i]));
    }
    return error / size;
}

inline Doubles toDoubles(std::span<const float> values) {
    return {values.begin(), values.end()};
}

}  // namespace lockstep::testing
