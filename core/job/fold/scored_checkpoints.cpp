// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/scored_checkpoints.h"

#include <algorithm>
#include <set>

namespace lockstep::job {

ScoredCheckpoints scoredCheckpoints(const RunView& view) {
    const bool validates = std::ranges::any_of(view.evaluations, [](const auto& evaluation) {
        return evaluation->error.empty() && evaluation->split == "validation";
    });
    std::set<std::int64_t> scored;
    for (const auto& evaluation : view.evaluations)
        if (evaluation->error.empty() && (!validates || evaluation->split == "validation"))
            scored.insert(evaluation->step);
    ScoredCheckpoints count;
    std::set<std::int64_t> seen;
    for (const CheckpointView& checkpoint : view.checkpoints) {
        if (!checkpoint.error.empty() || !seen.insert(checkpoint.step).second) continue;
        ++count.checkpoints;
        if (scored.contains(checkpoint.step)) ++count.scored;
    }
    return count;
}

}  // namespace lockstep::job
