// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/client/record_outbox.h"

#include <algorithm>
#include <optional>

#include "core/base/clock.h"
#include "core/base/record_clock.h"
#include "core/coordination/exchange/record_worth.h"

namespace lockstep::coordination {

namespace {

/// What is told of samples that found no room; nothing where these are others.
std::optional<wire::Drops> dropsOf(const wire::Record& record) {
    wire::Drops drops;
    if (record.has_steps()) {
        drops.set_replica(record.steps().replica());
        drops.set_first_step(record.steps().first_step());
        drops.set_count(static_cast<std::uint64_t>(record.steps().loss_size()));
        return drops;
    }
    if (!record.has_scalars() || record.scalars().columns_size() == 0) return std::nullopt;
    const wire::ScalarColumn& first = record.scalars().columns(0);
    drops.set_replica(static_cast<std::uint32_t>(record.scalars().replica()));
    drops.set_first_step(first.steps_size() > 0 ? first.steps(0) : 0);
    for (const wire::ScalarColumn& column : record.scalars().columns())
        drops.set_count(drops.count() + static_cast<std::uint64_t>(column.values_size()));
    return drops;
}

}  // namespace

RecordOutbox::Pushed RecordOutbox::push(const wire::Record& record, std::string bytes) {
    const bool sample = worthOf(record) == telemetry::RecordWorth::Sample;
    std::size_t& used = sample ? sampleBytes_ : stateBytes_;
    const std::size_t limit = sample ? limits_.sampleBytes : limits_.stateBytes;
    if (used + bytes.size() > limit) {
        if (!sample) return Pushed::Full;
        noteDrop(record);
        return Pushed::Dropped;
    }
    if (sample) appendDropNotes(false);  // there is room again
    used += bytes.size();
    queue_.push_back({std::move(bytes), sample});
    return Pushed::Yes;
}

void RecordOutbox::noteDrop(const wire::Record& record) {
    const auto lost = dropsOf(record);
    if (!lost) return missed_.note(record);
    const auto [known, isNew] = drops_.try_emplace(lost->replica(), *lost);
    if (!isNew) known->second.set_count(known->second.count() + lost->count());
}

void RecordOutbox::appendDropNotes(bool isLast) {
    for (auto& [replica, drops] : drops_) {
        wire::Record note;
        note.set_wall_time(recordSeconds());
        *note.mutable_drops() = drops;
        append(note);
    }
    drops_.clear();
    const auto take = [this](const wire::Record& word) {
        append(word);
        return true;
    };
    missed_.tell(SteadyClock::read(), take, isLast);
}

void RecordOutbox::append(const wire::Record& note) {
    queue_.push_back({note.SerializeAsString(), false});
    stateBytes_ += queue_.back().bytes.size();
}

wire::Records RecordOutbox::take(std::size_t maxBytes) {
    wire::Records records;
    if (queue_.empty()) appendDropNotes(true);
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
