// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/step_ring.h"

#include <algorithm>
#include <bit>

namespace lockstep::telemetry {

StepRing::StepRing(std::uint32_t replica, std::size_t capacity)
    : replica_(replica),
      slots_(std::bit_ceil(std::max<std::size_t>(capacity, 2))),
      mask_(slots_.size() - 1) {}

namespace {

wire::Record& startRecord(double nowWall, std::vector<wire::Record>& out) {
    wire::Record& record = out.emplace_back();
    record.set_wall_time(nowWall);
    return record;
}

void append(const StepRecord& record, wire::StepBatch& batch) {
    if (!record.hasSamples)
        batch.add_without_samples(static_cast<std::uint32_t>(batch.loss_size()));
    batch.add_loss(record.loss);
    batch.add_accuracy(record.accuracy);
    batch.add_step_us(record.stepMicroseconds);
    batch.add_data_us(record.dataMicroseconds);
    batch.add_forward_us(record.forwardMicroseconds);
    batch.add_backward_us(record.backwardMicroseconds);
    batch.add_all_reduce_us(record.allReduceMicroseconds);
    batch.add_update_us(record.updateMicroseconds);
}

void addDrops(std::uint32_t replica, std::uint64_t firstStep, std::uint64_t count, double nowWall,
              std::vector<wire::Record>& out) {
    wire::Drops& drops = *startRecord(nowWall, out).mutable_drops();
    drops.set_replica(replica);
    drops.set_first_step(firstStep);
    drops.set_count(count);
}

}  // namespace

void StepRing::takeOne(const StepRecord& record, double nowWall, std::vector<wire::Record>& out) {
    const bool isGap = lastStep_ != 0 && record.step != lastStep_ + 1;
    if (isGap) {
        const std::uint64_t missing = record.step - lastStep_ - 1;
        addDrops(replica_, lastStep_ + 1, missing, nowWall, out);
        reportedDrops_ += missing;
    }
    const bool continues = !out.empty() && out.back().has_steps() && !isGap &&
                           out.back().steps().replica() == replica_ &&
                           out.back().steps().loss_size() < static_cast<int>(kMaxBatchSteps);
    if (!continues) {
        wire::StepBatch& batch = *startRecord(nowWall, out).mutable_steps();
        batch.set_replica(replica_);
        batch.set_first_step(record.step);
        batch.set_first_end_wall_time(record.endWallTime);
    }
    append(record, *out.back().mutable_steps());
    lastStep_ = record.step;
}

void StepRing::drain(double nowWall, std::vector<wire::Record>& out) {
    const std::uint64_t tail = tail_.load(std::memory_order_acquire);
    std::uint64_t head = head_.load(std::memory_order_relaxed);
    for (; head != tail; ++head)
        takeOne(slots_[head & mask_], nowWall, out);
    head_.store(head, std::memory_order_release);
}

void StepRing::drainLast(double nowWall, std::vector<wire::Record>& out) {
    drain(nowWall, out);
    const std::uint64_t unreported = droppedCount() - reportedDrops_;
    if (unreported > 0) addDrops(replica_, lastStep_ + 1, unreported, nowWall, out);
    reportedDrops_ += unreported;
}

}  // namespace lockstep::telemetry
