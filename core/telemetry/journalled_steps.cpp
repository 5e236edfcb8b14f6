// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/journalled_steps.h"

#include <algorithm>

namespace lockstep::telemetry {

bool beginsAgain(const wire::Record& record) {
    return record.has_run_state() && (record.run_state().state() == wire::RUN_STATE_LAUNCHING ||
                                      record.run_state().state() == wire::RUN_STATE_RESTARTING);
}

void JournalledSteps::take(const wire::Record& record) {
    if (beginsAgain(record))
        for (auto& [number, one] : replicas_)
            one.hasTold = false;
    // Steps behind the run's start will be trained again. Another replica's first steps may come
    // before the chief says where that is.
    if (record.has_run_info() && !record.run_info().amends())
        for (auto& [number, one] : replicas_)
            if (!one.hasTold)
                one.newest =
                    std::min(one.newest, static_cast<std::int64_t>(record.run_info().first_step()));
    if (!record.has_steps() || record.steps().loss_size() == 0) return;
    const wire::StepBatch& steps = record.steps();
    Replica& replica = replicas_[steps.replica()];
    const auto before = static_cast<std::int64_t>(steps.first_step()) - 1;
    if (!replica.hasTold) replica.newest = std::min(replica.newest, before);
    replica.newest = std::max(
        replica.newest, static_cast<std::int64_t>(steps.first_step()) + steps.loss_size() - 1);
    replica.hasTold = true;
}

std::vector<std::int64_t> JournalledSteps::newest(std::size_t replicas) const {
    std::vector<std::int64_t> steps(replicas, before_);
    for (const auto& [number, one] : replicas_)
        if (number < replicas) steps[number] = one.newest;
    return steps;
}

}  // namespace lockstep::telemetry
