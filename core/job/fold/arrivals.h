// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ranges>
#include <vector>

#include "core/job/fold/session.h"

namespace lockstep::job {

/// What has arrived since the last take, in order.
struct Arrivals {
    std::vector<StepColumns> steps;
    std::vector<ScalarColumns> scalars;
    std::vector<HeartbeatMark> heartbeats;
    std::vector<LoadMark> loads;
    std::vector<LogEntry> logs;
};

/// As how many entries it counts among those that wait: each about as large as a replica's step.
[[nodiscard]] inline std::size_t weightOf(const LoadMark& mark) {
    constexpr std::size_t kMark = 3;
    constexpr std::size_t kGpu = 3;  // with its uuid
    return kMark + kGpu * mark.gpus.size();
}

/// Of what several pieces, the oldest first, say of loads, the newest `most`, by whole pieces.
inline void keepNewestLoads(std::vector<Arrivals>& pieces, std::size_t most) {
    std::size_t count = 0;
    for (Arrivals& piece : pieces | std::views::reverse) {
        count += piece.loads.size();
        if (count > most) piece.loads = std::vector<LoadMark>();
    }
}

}  // namespace lockstep::job
