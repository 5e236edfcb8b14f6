// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/coordination/state/process_key.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

/// Records that found no room on their way to the journal, by process and kind, until a line of the
/// journal says so in their place. Used by one thread.
class MissedRecords {
public:
    /// Of lines that are unfinished the next one takes the place anyway.
    void note(const wire::Record& record);
    [[nodiscard]] bool empty() const { return counts_.empty(); }
    /// What is to be said: a line for each process and kind. None within a second of what was told
    /// last, unless `isLast`.
    [[nodiscard]] std::vector<wire::Record> due(Nanos now, bool isLast = false) const;
    /// What is due is on its way.
    void told(Nanos now);

private:
    std::map<std::pair<ProcessKey, std::string>, std::uint64_t> counts_;
    Nanos nextWord_{};
};

}  // namespace lockstep::coordination
