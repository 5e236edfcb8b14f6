// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/job/fold/session.h"

namespace lockstep::job {

/// How far evaluation has come: "22 of 24 scored".
struct ScoredCheckpoints {
    std::size_t scored = 0;
    std::size_t checkpoints = 0;  ///< Committed, pruned ones included.
};

/// Of all starts of the run. A checkpoint that was scored on the test data alone, at the run's end,
/// does not count where the job has others to score it on.
[[nodiscard]] ScoredCheckpoints scoredCheckpoints(const RunView& view);

}  // namespace lockstep::job
