// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
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

}  // namespace lockstep::job
