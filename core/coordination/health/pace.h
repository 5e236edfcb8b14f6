// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/coordination/state/job_rules.h"

namespace lockstep::coordination {

/// Parts of a step that are a replica's own work: data, forward, backward, update.
inline constexpr std::size_t kOwnPhases = 4;

/// What a stretch of steps took a replica: microseconds of a step, as means.
struct Pace {
    std::uint32_t replica = 0;
    std::array<double, kOwnPhases> work{};
    double step = 0;  ///< From the end of the step before, waiting included.

    [[nodiscard]] double own() const { return work[0] + work[1] + work[2] + work[3]; }
};

/// What `numbers` are at the middle; of two in the middle the smaller one. 0 of none.
[[nodiscard]] double lowerMedian(std::vector<double> numbers);

/// What part of each step (0 to 1) a replica works longer than the usual, for each of `all`, the
/// paces of one stretch; only where that is more than the replicas differ anyway. All wait in every
/// step for whoever works longest: where one is slow that is what it costs the others; of several
/// it is the slowest one's, for all of them together. Where all are slow alike nobody is.
[[nodiscard]] std::vector<double> costsOf(const std::vector<Pace>& all, const SlowRules& rules);

}  // namespace lockstep::coordination
