// SPDX-License-Identifier: Apache-2.0
#include "core/checkpoint/follower.h"

#include <algorithm>

#include "core/checkpoint/checkpoint_store.h"

namespace lockstep::checkpoint {

CheckpointFollower::CheckpointFollower(std::filesystem::path folder, Options options)
    : folder_(std::move(folder)), options_(options) {}

void CheckpointFollower::skip(std::int64_t step) {
    seen_.insert(step);
}

std::vector<std::int64_t> CheckpointFollower::unseen(const CheckpointStore& store) const {
    auto steps = store.list();
    if (!steps || steps->empty()) return {};
    if (options_.policy == Policy::Newest) {
        // LATEST, not the highest number: after a resume from an older one, newer steps may lie
        // there damaged.
        const std::int64_t newest = store.latest().value_or(steps->back());
        *steps = {newest};
    }
    std::erase_if(*steps, [this](std::int64_t step) { return seen_.contains(step); });
    return *steps;
}

std::optional<CheckpointFollower::Found> CheckpointFollower::poll(Nanos now) {
    const auto store = CheckpointStore::open(folder_, CheckpointStore::Access::Read);
    if (!store) return std::nullopt;
    for (const std::int64_t step : unseen(*store)) {
        if (const auto retry = retries_.find(step);
            retry != retries_.end() && now < retry->second.notBefore)
            return std::nullopt;  // newer ones wait, to keep the order
        auto content = store->load(step);
        if (!content && content.error().code == ErrorCode::NotFound) continue;  // pruned
        if (!content && ++retries_[step].failures < options_.attempts) {
            retries_[step].notBefore = now + options_.retryAfter;
            return std::nullopt;
        }
        retries_.erase(step);
        seen_.insert(step);
        return Found{step, std::move(content)};
    }
    return std::nullopt;
}

}  // namespace lockstep::checkpoint
