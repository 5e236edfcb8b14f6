// SPDX-License-Identifier: Apache-2.0
#include "core/telemetry/step_gaps.h"

#include <algorithm>
#include <utility>

#include "core/telemetry/journalled_steps.h"

namespace lockstep::telemetry {

namespace {

constexpr std::uint32_t kMostReplicas = 65536;  ///< Whatever a damaged record says.

}  // namespace

std::vector<StepGap> StepGaps::take(const wire::Record& record) {
    if (beginsAgain(record)) beginAgain();
    if (record.has_run_info() && !record.run_info().amends()) begin(record.run_info());
    if (record.has_epoch()) epochEnd_ = std::max(epochEnd_, record.epoch().step());
    if (record.has_steps() && record.steps().loss_size() > 0) take(record.steps());
    if (record.has_drops()) take(record.drops());
    return std::exchange(found_, {});
}

std::vector<StepGap> StepGaps::close() {
    const std::uint64_t end = std::max(isStartKnown_ ? first_ - 1 : 0, epochEnd_) + 1;
    for (auto& [number, one] : replicas_)
        if (one.next < end) add(number, std::exchange(one.next, end), end);
    placeThoseBefore();
    return std::exchange(found_, {});
}

void StepGaps::beginAgain() {
    placeThoseBefore();
    isStartKnown_ = false;
    for (auto& [number, one] : replicas_)
        one.hasTold = false;
}

/// Another replica's first steps may have come before this word: they said themselves how far it
/// goes back.
void StepGaps::begin(const wire::RunInfo& start) {
    isStartKnown_ = true;
    first_ = start.first_step() + 1;
    epochEnd_ = 0;
    placeThoseBefore();
    const std::uint32_t count = std::min(start.replica_count(), kMostReplicas);
    for (auto& [number, one] : replicas_) {
        if (!one.hasTold) one.next = std::min(one.next, first_);
        if (number >= count && one.next < first_) add(number, one.next, first_);
    }
    std::erase_if(replicas_, [count](const auto& one) { return one.first >= count; });
    for (std::uint32_t number = 0; number < count; ++number)
        replicas_.try_emplace(number, Replica{first_});
}

void StepGaps::take(const wire::StepBatch& batch) {
    const std::uint64_t begin = batch.first_step();
    const std::uint64_t end = begin + static_cast<std::uint64_t>(batch.loss_size());
    Replica& one = replicas_.try_emplace(batch.replica(), Replica{isStartKnown_ ? first_ : begin})
                       .first->second;
    if (!one.hasTold) one.next = std::min(one.next, begin);
    if (begin > one.next) add(batch.replica(), one.next, begin);
    told_ += end - std::min(end, std::max(begin, one.next));
    one.next = std::max(one.next, end);
    one.hasTold = true;
}

/// Its sender had no room for them: no process was lost.
void StepGaps::take(const wire::Drops& drops) {
    const auto known = replicas_.find(drops.replica());
    const std::uint64_t end = drops.first_step() + drops.count();
    if (known == replicas_.end()) return;
    std::uint64_t& next = known->second.next;
    if (drops.first_step() > next || end <= next) return;
    found_.push_back({.replica = drops.replica(), .first = next, .last = end - 1});
    next = end;
}

void StepGaps::add(std::uint32_t replica, std::uint64_t begin, std::uint64_t end) {
    const StepGap gap{.replica = replica, .first = begin, .last = end - 1};
    if (isStartKnown_)
        place(gap);
    else
        unplaced_.push_back(gap);
}

void StepGaps::place(const StepGap& gap) {
    StepGap before = gap;
    StepGap within = gap;
    before.isBeforeStart = true;
    before.last = std::min(gap.last, first_ - 1);
    within.first = std::max(gap.first, first_);
    for (const StepGap& part : {before, within})
        if (part.first <= part.last) found_.push_back(part);
}

/// A start of which process 0 has said nothing lost nothing of the one before, as far as is known.
void StepGaps::placeThoseBefore() {
    for (const StepGap& gap : std::exchange(unplaced_, {}))
        isStartKnown_ ? place(gap) : found_.push_back(gap);
}

}  // namespace lockstep::telemetry
