// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "core/coordination/exchange/missed_records.h"
#include "core/wire/messages/member.pb.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

/// Records on their way to the coordinator, in order. State (epochs, checkpoints, evaluations) is
/// never dropped: when its room is used up, `push` refuses and the caller waits. Samples (steps,
/// named figures of replicas, heartbeats, process figures, logs) are dropped when theirs is; that
/// is noted, and the note is sent in their place. Not thread-safe: guarded by its owner.
class RecordOutbox {
public:
    struct Limits {
        std::size_t sampleBytes = 8 << 20;
        std::size_t stateBytes = 16 << 20;
    };
    enum class Pushed : std::uint8_t { Yes, Dropped, Full };

    RecordOutbox() = default;
    explicit RecordOutbox(Limits limits) : limits_(limits) {}

    /// `bytes` is `record`, serialised.
    [[nodiscard]] Pushed push(const wire::Record& record, std::string bytes);
    /// The oldest records, up to about `maxBytes` of them, at least one when there is one.
    [[nodiscard]] wire::Records take(std::size_t maxBytes);

    [[nodiscard]] bool empty() const { return queue_.empty() && drops_.empty() && missed_.empty(); }

private:
    struct Entry {
        std::string bytes;
        bool sample = false;
    };
    void noteDrop(const wire::Record& record);
    void appendDropNotes(bool isLast);
    void append(const wire::Record& note);

    Limits limits_;
    std::deque<Entry> queue_;
    std::size_t sampleBytes_ = 0;
    std::size_t stateBytes_ = 0;
    std::map<std::uint32_t, wire::Drops> drops_;  // by replica, not yet told
    MissedRecords missed_;                        // without steps and named figures
};

}  // namespace lockstep::coordination
