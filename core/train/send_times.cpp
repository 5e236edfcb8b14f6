// SPDX-License-Identifier: Apache-2.0
#include "core/train/send_times.h"

#include <algorithm>
#include <chrono>

namespace lockstep::train {

namespace {
constexpr std::int64_t kMostAhead = 100'000;  // steps; these take longer than any pause
}

Nanos SendTimes::pauseBehind(std::int64_t newest, Nanos now) {
    if (!nextCheckpoint_ || newest <= 0) return kInterval;
    if (newest != newest_) {
        if (newest_ > 0 && newest > newest_) perStep_ = (now - seenAt_) / (newest - newest_);
        if (newest >= next_) next_ = nextCheckpoint_(newest);
        newest_ = newest;
        seenAt_ = now;
    }
    if (next_ == 0 || perStep_ == Nanos{}) return kInterval;
    // Half of the way each time, so that a pace that changes does not lead past it; and ever more
    // rarely for one that is late.
    const Nanos due = seenAt_ + std::min(next_ - newest_, kMostAhead) * perStep_;
    return std::clamp(std::chrono::abs(due - now) / 2, kShortest, kInterval);
}

}  // namespace lockstep::train
