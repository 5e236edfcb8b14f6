// SPDX-License-Identifier: Apache-2.0
// What the benchmarks share: quantiles, a stopwatch, and one form of line. Every figure is a row
// of one table, which bench.py heads and collects: what | goal | aim | measured | peer | verdict.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <optional>
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

/// One row of the table. Smaller is better; goal and aim are limits of `value`, in its unit.
struct Figure {
    std::string what;
    double value = 0;
    std::string unit{};
    std::optional<double> goal{};
    std::optional<double> aim{};
    std::string peer{};  ///< What it stands beside, or a remark.
};

/// "0.853", "12.3 us", "2950 us": three digits, whatever the size.
[[nodiscard]] inline std::string quantity(double value, std::string_view unit) {
    const int digits = value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0;
    return fmt::format("{:.{}f}{}{}", value, digits, unit.empty() ? "" : " ", unit);
}

/// "met", "met, aim missed", "MISSED, 1.3 times"; empty where nothing was promised.
[[nodiscard]] inline std::string verdictOf(const Figure& figure) {
    if (!figure.goal) return {};
    if (figure.value > *figure.goal && *figure.goal == 0) return "MISSED";
    if (figure.value > *figure.goal)
        return fmt::format("MISSED, {:.2f} times", figure.value / *figure.goal);
    if (figure.aim && figure.value > *figure.aim) return "met, aim missed";
    return "met";
}

inline void print(const Figure& figure) {
    const auto limit = [&](const std::optional<double>& value) {
        return value
                   ? fmt::format("≤ {:g}{}{}", *value, figure.unit.empty() ? "" : " ", figure.unit)
                   : std::string();
    };
    fmt::print("| {:<58} | {:>10} | {:>8} | {:>10} | {:<44} | {} |\n", figure.what,
               limit(figure.goal), limit(figure.aim), quantity(figure.value, figure.unit),
               figure.peer, verdictOf(figure));
    std::fflush(stdout);
}

/// A figure that promises nothing, with a remark.
inline void row(std::string_view what, double value, std::string_view unit,
                std::string_view remark = {}) {
    print({.what = std::string(what),
           .value = value,
           .unit = std::string(unit),
           .peer = std::string(remark)});
}

/// A figure with a goal that it must not exceed.
inline void rowWithGoal(std::string_view what, double value, std::string_view unit, double goal) {
    print({.what = std::string(what), .value = value, .unit = std::string(unit), .goal = goal});
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
