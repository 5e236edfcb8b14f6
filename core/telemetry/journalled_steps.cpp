// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/journalled_steps.h"

#include <algorithm>

namespace lockstep::telemetry {

bool beginsAgain(const wire::Record& record) {
    return record.has_run_state() && (record.run_state().state() == wire::RUN_STATE_LAUNCHING ||
                                      record.run_state().state() == wire::RUN_STATE_RESTARTING);
}

StepNews stepNewsOf(const wire::Record& record) {
    StepNews news;
    news.beginsAgain = beginsAgain(record);
    if (record.has_run_info() && !record.run_info().amends())
        news.runStart = static_cast<std::int64_t>(record.run_info().first_step());
    if (!record.has_steps() || record.steps().loss_size() == 0) return news;
    const auto first = static_cast<std::int64_t>(record.steps().first_step());
    news.told = {record.steps().replica(), first, first + record.steps().loss_size() - 1};
    return news;
}

void JournalledSteps::take(const StepNews& news) {
    if (news.beginsAgain)
        for (auto& [number, one] : replicas_)
            one.hasTold = false;
    // Steps behind the run's start will be trained again. Another replica's first steps may come
    // before the chief says where that is.
    if (news.runStart)
        for (auto& [number, one] : replicas_)
            if (!one.hasTold) one.newest = std::min(one.newest, *news.runStart);
    if (!news.told) return;
    Replica& replica = replicas_[news.told->replica];
    if (!replica.hasTold) replica.newest = std::min(replica.newest, news.told->first - 1);
    replica.newest = std::max(replica.newest, news.told->last);
    replica.hasTold = true;
}

std::vector<std::int64_t> JournalledSteps::newest(std::size_t replicas) const {
    std::vector<std::int64_t> steps(replicas, before_);
    for (const auto& [number, one] : replicas_)
        if (number < replicas) steps[number] = one.newest;
    return steps;
}

}  // namespace lockstep::telemetry
