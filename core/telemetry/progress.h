// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/clock.h"
#include "core/base/collective_place.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::telemetry {

/// Where one replica is: written by its step thread at every change of phase (no system call, a
/// few nanoseconds), read by the heartbeat thread, so that a heartbeat says what a replica that
/// no longer moves was doing. The fields are read as they were at one moment (a sequence lock,
/// whose fields are released and acquired one by one: race detectors understand no fences).
class ReplicaProgressCell {
public:
    struct Snapshot {
        std::uint64_t step = 0;  ///< Steps completed.
        wire::Phase phase = wire::PHASE_STARTING;
        Nanos phaseStart{0};  ///< On the monotonic clock.
        std::uint64_t collectivePoints = 0;
        int awaitedReplica = CollectivePlace::kNobody;
        Collective collective{};
    };

    /// By the step thread alone: a phase begins at `now` (monotonic).
    void enter(wire::Phase phase, Nanos now) noexcept {
        beginWrite();
        phase_.store(phase, std::memory_order_release);
        phaseStart_.store(now.count(), std::memory_order_release);
        endWrite();
    }
    /// By the step thread alone: `step` steps are complete.
    void completeStep(std::uint64_t step) noexcept {
        beginWrite();
        step_.store(step, std::memory_order_release);
        endWrite();
    }
    /// For the replica's communicator.
    [[nodiscard]] CollectivePlace& collectivePlace() noexcept { return place_; }

    /// Any thread.
    [[nodiscard]] Snapshot read() const noexcept {
        for (;;) {
            const std::uint32_t before = version_.load(std::memory_order_acquire);
            const Snapshot snapshot{
                step_.load(std::memory_order_acquire),
                phase_.load(std::memory_order_acquire),
                Nanos(phaseStart_.load(std::memory_order_acquire)),
                place_.points.load(std::memory_order_relaxed),
                place_.awaited.load(std::memory_order_relaxed),
                place_.collective(),
            };
            const bool stable = version_.load(std::memory_order_relaxed) == before;
            if (stable && before % 2 == 0) return snapshot;
        }
    }

    /// The heartbeat's entry for replica `replica` at `now` (monotonic).
    [[nodiscard]] wire::ReplicaProgress toWire(std::uint32_t replica, Nanos now) const {
        const Snapshot snapshot = read();
        wire::ReplicaProgress progress;
        progress.set_replica(replica);
        progress.set_step(snapshot.step);
        progress.set_phase(snapshot.phase);
        const bool started = snapshot.phaseStart.count() > 0 && now > snapshot.phaseStart;
        progress.set_phase_seconds(
            started ? std::chrono::duration<float>(now - snapshot.phaseStart).count() : 0.0F);
        progress.set_collective_points(snapshot.collectivePoints);
        if (snapshot.awaitedReplica >= 0)
            progress.set_awaited_replica(static_cast<std::uint32_t>(snapshot.awaitedReplica));
        progress.set_collective(toWire(snapshot.collective.kind));
        if (snapshot.collective.bucket) progress.set_bucket(*snapshot.collective.bucket);
        return progress;
    }

private:
    [[nodiscard]] static wire::Collective toWire(CollectiveKind kind) {
        switch (kind) {
            case CollectiveKind::None:
                return wire::COLLECTIVE_NONE;
            case CollectiveKind::Sum:
                return wire::COLLECTIVE_SUM;
            case CollectiveKind::Shares:
                return wire::COLLECTIVE_SHARES;
            case CollectiveKind::Broadcast:
                return wire::COLLECTIVE_BROADCAST;
            case CollectiveKind::Gather:
                return wire::COLLECTIVE_GATHER;
            case CollectiveKind::AllToAll:
                return wire::COLLECTIVE_ALL_TO_ALL;
        }
        return wire::COLLECTIVE_NONE;
    }
    void beginWrite() noexcept {
        version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }
    void endWrite() noexcept {
        version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
    }

    alignas(64) std::atomic<std::uint32_t> version_{0};  // odd while a write is going on
    std::atomic<wire::Phase> phase_{wire::PHASE_STARTING};
    std::atomic<std::uint64_t> step_{0};
    std::atomic<std::int64_t> phaseStart_{0};
    CollectivePlace place_;
};

}  // namespace lockstep::telemetry
