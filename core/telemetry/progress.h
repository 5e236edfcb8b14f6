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
    /// Work that all replicas do alike, and as often, each for itself before it waits for the
    /// others: what it takes some says how long it may take the rest.
    struct Share {
        enum class State : std::uint8_t { None, Open, Done };

        std::uint64_t number = 0;  ///< Counts those that were begun.
        State state = State::None;
        Nanos start{0};  ///< On the monotonic clock.
        Nanos took{0};   ///< Once it is done.
    };

    struct Snapshot {
        std::uint64_t step = 0;  ///< Steps completed.
        wire::Phase phase = wire::PHASE_STARTING;
        Nanos phaseStart{0};  ///< On the monotonic clock.
        std::uint64_t collectivePoints = 0;
        int awaitedReplica = CollectivePlace::kNobody;
        Collective collective{};
        Share share{};
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
    /// By the step thread alone.
    void beginShare(Nanos now) noexcept {
        beginWrite();
        share_.number.store(share_.number.load(std::memory_order_relaxed) + 1,
                            std::memory_order_release);
        share_.start.store(now.count(), std::memory_order_release);
        share_.state.store(Share::State::Open, std::memory_order_release);
        endWrite();
    }
    /// `isWhole`: it was not cut short, so that it says how long such a share takes.
    void endShare(Nanos now, bool isWhole) noexcept {
        beginWrite();
        share_.took.store(now.count() - share_.start.load(std::memory_order_relaxed),
                          std::memory_order_release);
        share_.state.store(isWhole ? Share::State::Done : Share::State::None,
                           std::memory_order_release);
        endWrite();
    }
    /// Of another try, in which all count from the beginning.
    void forgetShares() noexcept {
        beginWrite();
        share_.number.store(0, std::memory_order_release);
        share_.state.store(Share::State::None, std::memory_order_release);
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
                {share_.number.load(std::memory_order_acquire),
                 share_.state.load(std::memory_order_acquire),
                 Nanos(share_.start.load(std::memory_order_acquire)),
                 Nanos(share_.took.load(std::memory_order_acquire))},
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
        progress.set_phase_seconds(
            snapshot.phaseStart.count() > 0 ? secondsBetween(snapshot.phaseStart, now) : 0.0F);
        progress.set_collective_points(snapshot.collectivePoints);
        if (snapshot.awaitedReplica >= 0)
            progress.set_awaited_replica(static_cast<std::uint32_t>(snapshot.awaitedReplica));
        progress.set_collective(toWire(snapshot.collective.kind));
        if (snapshot.collective.bucket) progress.set_bucket(*snapshot.collective.bucket);
        if (const Share& share = snapshot.share; share.state != Share::State::None) {
            const bool isDone = share.state == Share::State::Done;
            progress.mutable_share()->set_number(share.number);
            progress.mutable_share()->set_seconds(isDone ? secondsBetween({}, share.took)
                                                         : secondsBetween(share.start, now));
            progress.mutable_share()->set_done(isDone);
        }
        return progress;
    }

private:
    /// Share, whose parts are written and read one by one.
    struct ShareParts {
        std::atomic<std::uint64_t> number{0};
        std::atomic<Share::State> state{Share::State::None};
        std::atomic<std::int64_t> start{0};
        std::atomic<std::int64_t> took{0};
    };

    [[nodiscard]] static float secondsBetween(Nanos begin, Nanos end) {
        return end > begin ? std::chrono::duration<float>(end - begin).count() : 0.0F;
    }
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
    ShareParts share_;
    CollectivePlace place_;
};

}  // namespace lockstep::telemetry
