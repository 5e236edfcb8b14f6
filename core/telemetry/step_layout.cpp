// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/step_layout.h"

#include <algorithm>
#include <cmath>

namespace lockstep::telemetry {

namespace {

constexpr double kMostSeconds = 4e9;
constexpr double kMostStepSeconds = 1e5;

/// Of a duration in microseconds.
std::int64_t duration(std::span<const float> column, std::size_t index) {
    const double value = index < column.size() ? double{column[index]} : 0;
    return nanosecondsOf(std::min(value * 1e-6, kMostStepSeconds));
}

}  // namespace

std::int64_t nanosecondsOf(double seconds) {
    const double held = std::isfinite(seconds) ? std::clamp(seconds, 0.0, kMostSeconds) : 0.0;
    return std::llround(held * 1e9);
}

void placeSteps(const StepTimes& times, const std::function<void(const PlacedStep&)>& use) {
    std::int64_t end = times.firstEnd;
    PlacedStep placed;
    for (std::size_t i = 0; i < times.taken.size(); ++i) {
        const std::int64_t taken = duration(times.taken, i);
        if (i > 0) end += taken;
        placed.step = times.firstStep + i;
        placed.begin = end - taken;
        placed.end = end;
        std::int64_t mark = placed.begin;
        for (std::size_t phase = 0; phase < times.phases.size(); ++phase) {
            mark = std::min(mark + duration(times.phases[phase], i), end);
            placed.phaseEnds[phase] = mark;
        }
        placed.hasPhases = mark > placed.begin;
        use(placed);
    }
}

}  // namespace lockstep::telemetry
