// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace lockstep::telemetry {

/// A step of a replica where it belongs in time.
struct PlacedStep {
    static constexpr std::array<std::string_view, 5> kPhases{"data", "forward", "backward",
                                                             "all-reduce", "update"};
    std::uint64_t step = 0;
    std::int64_t begin = 0;  ///< Nanoseconds since 1970, as the next ones.
    std::int64_t end = 0;
    bool hasPhases = false;
    /// When each phase ends: they are laid one behind the other from the step's begin on, since a
    /// record tells only how long each took.
    std::array<std::int64_t, 5> phaseEnds{};
    float loss = 0;
    bool hasLoss = false;
};

/// What is told of consecutive steps of a replica, an entry a step in each column: microseconds. A
/// phase whose column is shorter took no time in the later ones.
struct StepTimes {
    std::uint64_t firstStep = 1;
    std::int64_t firstEnd = 0;  ///< When the first of them ended: nanoseconds since 1970.
    std::span<const float> taken;
    std::array<std::span<const float>, PlacedStep::kPhases.size()> phases;
};

/// Calls `use` with each of the steps, in order; says nothing of their losses.
void placeSteps(const StepTimes& times, const std::function<void(const PlacedStep&)>& use);

/// A damaged journal may tell any time: what cannot be one is moved to where sums of such times
/// still fit.
[[nodiscard]] std::int64_t nanosecondsOf(double seconds);

}  // namespace lockstep::telemetry
