// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace lockstep {

/// Where a replica stands in its collectives, for whoever watches it: written by its step thread,
/// read by any. Each is true by itself; the two need not be of the same moment.
struct CollectivePlace {
    static constexpr int kNobody = -1;

    /// Points of collectives reached. Who waits for another replica of its host has reached more
    /// than that one, whose thread may stand still in the same collective: the fewest are those of
    /// who holds up the others.
    std::atomic<std::uint64_t> points{0};
    /// The replica whose mark or message it waits for.
    std::atomic<int> awaited{kNobody};

    /// Of another try, whose points are not comparable with those of the one before.
    void reset() {
        points.store(0, std::memory_order_relaxed);
        awaited.store(kNobody, std::memory_order_relaxed);
    }
    void reachPoint() { points.fetch_add(1, std::memory_order_relaxed); }
};

/// Shows in `place` that a replica is awaited, while it lives.
class Awaiting {
public:
    Awaiting(CollectivePlace& place, int replica) : place_(place) {
        place_.awaited.store(replica, std::memory_order_relaxed);
    }
    ~Awaiting() { place_.awaited.store(CollectivePlace::kNobody, std::memory_order_relaxed); }
    Awaiting(const Awaiting&) = delete;
    Awaiting& operator=(const Awaiting&) = delete;

private:
    CollectivePlace& place_;
};

}  // namespace lockstep
