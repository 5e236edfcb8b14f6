// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/trace_window.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace lockstep::telemetry {

namespace {

constexpr double kMostSeconds = 1e9;

double secondsOf(char unit) {
    switch (unit) {
        case 's':
            return 1;
        case 'm':
            return 60;
        case 'h':
            return 3600;
        default:
            return 0;
    }
}

std::int64_t nanos(double seconds) {
    return std::llround(seconds * 1e9);
}

}  // namespace

Result<TraceBound> parseTraceBound(std::string_view text, std::string_view option) {
    const auto wrong = [&] {
        return fail(
            ErrorCode::BadInput,
            fmt::format("{}: '{}' is neither a time nor the number of a step", option, text),
            "Write 90s, 1.5m or 2h for a time, 1200 for a step.");
    };
    if (text.empty()) return wrong();
    TraceBound bound;
    const double unit = secondsOf(text.back());
    bound.isStep = unit == 0;
    const std::string_view number = bound.isStep ? text : text.substr(0, text.size() - 1);
    const char* const end = number.data() + number.size();
    const auto parsed =
        bound.isStep ? std::from_chars(number.data(), end, bound.step)
                     : std::from_chars(number.data(), end, bound.seconds, std::chars_format::fixed);
    if (parsed.ec != std::errc() || parsed.ptr != end) return wrong();
    bound.seconds *= unit;
    if (!(bound.seconds >= 0 && bound.seconds <= kMostSeconds)) return wrong();
    return bound;
}

void RunExtent::include(std::int64_t time) {
    begin = std::min(begin, time);
    end = std::max(end, time);
}

TraceLimits limitsOf(const TraceWindow& window, const RunExtent& run) {
    TraceLimits limits;
    if (window.last && window.last->isStep)
        limits.firstStep = run.newestStep - std::min(run.newestStep, window.last->step) + 1;
    else if (window.last)
        limits.stepsBegin = limits.begin = run.end - nanos(window.last->seconds);
    if (window.from && window.from->isStep)
        limits.firstStep = window.from->step;
    else if (window.from)
        limits.stepsBegin = limits.begin = run.begin + nanos(window.from->seconds);
    if (window.to && window.to->isStep)
        limits.lastStep = window.to->step;
    else if (window.to)
        limits.stepsEnd = limits.end = run.begin + nanos(window.to->seconds);
    return limits;
}

}  // namespace lockstep::telemetry
