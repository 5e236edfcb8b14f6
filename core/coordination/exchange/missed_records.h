// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "core/base/clock.h"
#include "core/coordination/state/process_key.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

/// Records that found no room on their way to the journal, or are too large for it, by process and
/// kind, until a line of the journal says so in their place. Used by one thread.
class MissedRecords {
public:
    /// Of lines that are unfinished the next one takes the place anyway.
    void note(const wire::Record& record);
    [[nodiscard]] bool empty() const { return missed_.empty(); }
    /// Says what is due by `append`, a line for each process and kind, until it takes one no more:
    /// that and the others stay due. None within a second of the last try, unless `isLast`.
    void tell(Nanos now, const std::function<bool(const wire::Record&)>& append,
              bool isLast = false);

private:
    struct Kind {
        ProcessKey process;
        std::string noun;
        bool isTooLarge = false;

        [[nodiscard]] auto operator<=>(const Kind&) const = default;
    };
    struct Missed {
        std::uint64_t count = 0;
        std::size_t mostBytes = 0;
    };
    [[nodiscard]] static wire::Record lineOf(const Kind& kind, const Missed& missed);

    std::map<Kind, Missed> missed_;
    Nanos nextWord_{};
};

}  // namespace lockstep::coordination
