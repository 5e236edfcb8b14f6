// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/wire/messages/record.pb.h"

namespace lockstep::telemetry {

/// One step of one replica, as its step thread knows it.
struct StepRecord {
    std::uint64_t step = 0;      ///< 1-based; each one greater than the one before.
    double endWallTime = 0;      ///< Seconds since 1970 when the step ended.
    float loss = 0;              ///< Mean over this replica's samples.
    float accuracy = 0;          ///< Likewise, 0..1.
    float stepMicroseconds = 0;  ///< From the end of the step before to the end of this one.
    float dataMicroseconds = 0;
    float forwardMicroseconds = 0;
    float backwardMicroseconds = 0;
    float allReduceMicroseconds = 0;  ///< Waiting included.
    float updateMicroseconds = 0;
    bool hasSamples = true;  ///< False: loss and accuracy say nothing.
};

/// The step records of one replica on their way from its step thread to the sender thread: one
/// producer, one consumer, a fixed number of places. `push` is wait-free and makes no system call
/// and no allocation; when nobody takes, new records are dropped and counted, never waited for.
class StepRing {
public:
    /// `capacity` is rounded up to a power of two. 8192 records hold 0.4 MB, and 0.8 s of a
    /// network that takes 100 microseconds a step.
    explicit StepRing(std::uint32_t replica, std::size_t capacity = 8192);

    /// By the step thread alone. About 10 ns.
    void push(const StepRecord& record) noexcept {
        const std::uint64_t tail = tail_.load(std::memory_order_relaxed);
        if (tail - cachedHead_ >= slots_.size()) {
            cachedHead_ = head_.load(std::memory_order_acquire);
            if (tail - cachedHead_ >= slots_.size()) {
                dropped_.store(dropped_.load(std::memory_order_relaxed) + 1,
                               std::memory_order_release);
                return;
            }
        }
        slots_[tail & mask_] = record;
        tail_.store(tail + 1, std::memory_order_release);
    }

    /// By the sender thread alone: takes all records and appends them to `out` as StepBatch
    /// records (consecutive steps, at most kMaxBatchSteps each) with a Drops record wherever
    /// steps are missing between them. `nowWall` becomes the records' wall time.
    void drain(double nowWall, std::vector<wire::Record>& out);

    /// The same once the step thread has ended: also reports what was dropped after the newest
    /// record. Nothing must be pushed afterwards.
    void drainLast(double nowWall, std::vector<wire::Record>& out);

    /// The newest step that was taken, 0 before the first. By the sender thread.
    [[nodiscard]] std::uint64_t newestTaken() const { return lastStep_; }

    /// Records dropped so far. Any thread.
    [[nodiscard]] std::uint64_t droppedCount() const {
        return dropped_.load(std::memory_order_acquire);
    }

    static constexpr std::size_t kMaxBatchSteps = 4096;

private:
    void takeOne(const StepRecord& record, double nowWall, std::vector<wire::Record>& out);

    const std::uint32_t replica_;
    std::vector<StepRecord> slots_;
    const std::uint64_t mask_;

    // Producer and consumer write to different cache lines.
    alignas(64) std::atomic<std::uint64_t> tail_{0};
    std::uint64_t cachedHead_ = 0;  // the producer's last look at head_
    std::atomic<std::uint64_t> dropped_{0};
    alignas(64) std::atomic<std::uint64_t> head_{0};
    std::uint64_t lastStep_ = 0;  // the consumer's: newest step taken; 0 before the first
    std::uint64_t reportedDrops_ = 0;
};

}  // namespace lockstep::telemetry
