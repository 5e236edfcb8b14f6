// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace lockstep {

enum class CollectiveKind : std::uint8_t { None, Sum, Shares, Broadcast, Gather, AllToAll };

/// One that a replica is in, or was in last.
struct Collective {
    CollectiveKind kind = CollectiveKind::None;
    std::optional<std::uint32_t> bucket{};  ///< Of a sum, where that is known.

    [[nodiscard]] bool operator==(const Collective&) const = default;
};

/// Where a replica stands in its collectives, for whoever watches it: written by its step thread,
/// read by any. Each is true by itself; they need not be of the same moment.
struct CollectivePlace {
    static constexpr int kNobody = -1;

    /// Points of collectives reached. Who waits for another replica of its host has reached more
    /// than that one, whose thread may stand still in the same collective: the fewest are those of
    /// who holds up the others.
    std::atomic<std::uint64_t> points{0};
    /// The replica whose mark or message it waits for.
    std::atomic<int> awaited{kNobody};

    void begin(CollectiveKind kind) { pack(kind, 0); }
    /// The sum of a bucket.
    void beginSum(std::size_t bucket) { pack(CollectiveKind::Sum, bucket + 1); }
    [[nodiscard]] Collective collective() const {
        const std::uint64_t word = packed_.load(std::memory_order_relaxed);
        const std::uint64_t bucket = word >> kKindBits;
        return {static_cast<CollectiveKind>(word & ((1U << kKindBits) - 1)),
                bucket == 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(bucket - 1))};
    }

    /// Of another try, whose points are not comparable with those of the one before.
    void reset() {
        points.store(0, std::memory_order_relaxed);
        awaited.store(kNobody, std::memory_order_relaxed);
        begin(CollectiveKind::None);
    }
    void reachPoint() { points.fetch_add(1, std::memory_order_relaxed); }
    /// What comes behind this, which all replicas come to as often, comes behind it on all: some
    /// have reached points before it that others, a mesh's other rows, have nothing to do with.
    void align() {
        points.store((points.load(std::memory_order_relaxed) / kStretch + 1) * kStretch,
                     std::memory_order_relaxed);
    }

private:
    /// More than anybody reaches between two alignments.
    static constexpr std::uint64_t kStretch = std::uint64_t{1} << 32;
    static constexpr unsigned kKindBits = 8;

    /// Both in one word, so that they are written and read at once.
    void pack(CollectiveKind kind, std::uint64_t bucket) {
        packed_.store((bucket << kKindBits) | static_cast<std::uint64_t>(kind),
                      std::memory_order_relaxed);
    }

    std::atomic<std::uint64_t> packed_{0};
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
