// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/record_outbox.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/base/record_clock.h"

namespace lockstep::coordination {

namespace {

bool isSample(const wire::Record& record) {
    return record.has_steps() || record.has_heartbeat() || record.has_figures() || record.has_log();
}

}  // namespace

RecordOutbox::Pushed RecordOutbox::push(const wire::Record& record, std::string bytes) {
    const bool sample = isSample(record);
    std::size_t& used = sample ? sampleBytes_ : stateBytes_;
    const std::size_t limit = sample ? limits_.sampleBytes : limits_.stateBytes;
    if (used + bytes.size() > limit) {
        if (!sample) return Pushed::Full;
        noteDrop(record);
        return Pushed::Dropped;
    }
    if (sample) appendDropNotes();  // there is room again
    used += bytes.size();
    queue_.push_back({std::move(bytes), sample});
    return Pushed::Yes;
}

void RecordOutbox::noteDrop(const wire::Record& record) {
    ++dropped_;
    if (!record.has_steps()) return;
    wire::Drops& drops = drops_[record.steps().replica()];
    if (drops.count() == 0) drops.set_first_step(record.steps().first_step());
    drops.set_replica(record.steps().replica());
    drops.set_count(drops.count() + static_cast<std::uint64_t>(record.steps().loss_size()));
}

void RecordOutbox::appendDropNotes() {
    for (auto& [replica, drops] : drops_) {
        wire::Record note;
        note.set_wall_time(recordSeconds());
        *note.mutable_drops() = drops;
        queue_.push_back({note.SerializeAsString(), false});
        stateBytes_ += queue_.back().bytes.size();
    }
    drops_.clear();
}

wire::Records RecordOutbox::take(std::size_t maxBytes) {
    wire::Records records;
    if (queue_.empty()) appendDropNotes();
    std::size_t bytes = 0;
    while (!queue_.empty() &&
           (records.records_size() == 0 || bytes + queue_.front().bytes.size() <= maxBytes)) {
        Entry entry = std::move(queue_.front());
        queue_.pop_front();
        (entry.sample ? sampleBytes_ : stateBytes_) -= entry.bytes.size();
        bytes += entry.bytes.size();
        records.add_records(std::move(entry.bytes));
    }
    return records;
}

}  // namespace lockstep::coordination
