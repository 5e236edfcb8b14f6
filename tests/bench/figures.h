// SPDX-License-Identifier: Apache-2.0
// What the benchmarks share: quantiles, a stopwatch, and one form of line.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"

namespace lockstep::bench {

/// The value below which `share` (0 to 1) of `values` lie. `values` must not be empty.
[[nodiscard]] inline double quantile(std::vector<double> values, double share) {
    const auto rank = static_cast<std::size_t>(share * static_cast<double>(values.size()));
    const auto place =
        values.begin() + static_cast<std::ptrdiff_t>(std::min(rank, values.size() - 1));
    std::nth_element(values.begin(), place, values.end());
    return *place;
}

[[nodiscard]] inline double median(std::vector<double> values) {
    return quantile(std::move(values), 0.5);
}

/// Seconds that `body` takes.
template <typename Body>
[[nodiscard]] double secondsOf(Body&& body) {
    const Nanos begin = SteadyClock::read();
    std::forward<Body>(body)();
    return Seconds(SteadyClock::read() - begin).count();
}

/// One line: what, the figure with its unit, and a remark.
inline void row(std::string_view what, double value, std::string_view unit,
                std::string_view remark = {}) {
    fmt::print("  {:<50} {:>10.{}f} {:<6}", what, value, value < 100 ? 2 : 0, unit);
    fmt::print("{}{}\n", remark.empty() ? "" : "  ", remark);
    std::fflush(stdout);
}

/// A line with the goal beside the figure, where smaller is better, and whether it is met.
inline void rowWithGoal(std::string_view what, double value, std::string_view unit, double goal) {
    const std::string verdict =
        value <= goal ? std::string("met") : fmt::format("MISSED, {:.1f} times", value / goal);
    row(what, value, unit, fmt::format("goal {} {}: {}", goal, unit, verdict));
}

/// The value, or the end of the program with the error: a benchmark has nobody to hand it to.
template <typename T>
[[nodiscard]] T valueOrExit(Result<T> result) {
    if (!result) {
        fmt::print(stderr, "error: {}\n", result.error().message);
        std::exit(1);
    }
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace lockstep::bench
