// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/unscored_checkpoints.h"

#include <algorithm>

namespace lockstep::train {

void UnscoredCheckpoints::committed(std::int64_t step, std::uint64_t bytes) {
    std::erase(waiting_, step);  // committed again, by a resume from an older one
    waiting_.push_back(step);
    bytes_ = bytes;
}

void UnscoredCheckpoints::scored(std::int64_t step) {
    const auto found = std::ranges::find(waiting_, step);
    if (found != waiting_.end()) waiting_.erase(waiting_.begin(), found + 1);
}

std::set<std::int64_t> UnscoredCheckpoints::spared() const {
    const std::size_t room =
        bytes_ == 0 ? kMostWaiting : static_cast<std::size_t>(kMostBytes / bytes_);
    const std::size_t count = std::min({waiting_.size(), room, kMostWaiting});
    return {waiting_.end() - static_cast<std::ptrdiff_t>(count), waiting_.end()};
}

std::vector<std::int64_t> UnscoredCheckpoints::missed(const std::vector<std::int64_t>& removed) {
    std::vector<std::int64_t> missed;
    for (const std::int64_t step : removed)
        if (std::erase(waiting_, step) > 0) missed.push_back(step);
    return missed;
}

}  // namespace lockstep::train
