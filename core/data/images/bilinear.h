// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::data {

/// Where a pixel of the result lies between two of the source: `second` of `whole` parts of the
/// later one, the rest of the earlier one.
struct Between {
    std::size_t before = 0;
    std::size_t after = 0;
    std::uint64_t second = 0;
};

/// Of each pixel of a row of `to` that is made of one of `from`: place i lies at
/// (i + 1/2) * from / to - 1/2, in 2 * to parts each. Edges are repeated.
[[nodiscard]] inline std::vector<Between> placesOf(int from, int to) {
    std::vector<Between> places;
    places.reserve(static_cast<std::size_t>(to));
    const std::int64_t whole = std::int64_t{2} * to;
    for (std::int64_t i = 0; i < to; ++i) {
        const std::int64_t at =
            std::clamp((2 * i + 1) * from - to, std::int64_t{0}, whole * (from - 1));
        const std::int64_t before = at / whole;
        places.push_back({static_cast<std::size_t>(before),
                          static_cast<std::size_t>(std::min<std::int64_t>(before + 1, from - 1)),
                          static_cast<std::uint64_t>(at % whole)});
    }
    return places;
}

}  // namespace lockstep::data
