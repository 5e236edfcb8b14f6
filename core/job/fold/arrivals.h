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

/// Of what several pieces, the oldest first, say of loads, the newest `most`, by whole pieces.
inline void keepNewestLoads(std::vector<Arrivals>& pieces, std::size_t most) {
    std::size_t count = 0;
    for (Arrivals& piece : pieces | std::views::reverse) {
        count += piece.loads.size();
        if (count > most) piece.loads = std::vector<LoadMark>();
    }
}

}  // namespace lockstep::job
