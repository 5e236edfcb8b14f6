// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "core/telemetry/journal.h"

namespace lockstep::coordination {

/// Tells people how the writing of the journal goes, when it does not go well: once when that
/// begins, now and then while records are lost, and once when it is over. No clock, no thread.
class JournalWatch {
public:
    /// A sentence that is worth a line now, if any.
    [[nodiscard]] std::optional<std::string> look(const telemetry::JournalStatus& status,
                                                  Nanos now);

private:
    bool saidStalled_ = false;
    std::uint64_t saidLost_ = 0;
    Nanos saidLostAt_{};
    std::string saidMisplaced_;
};

/// What of a run's records is lost, or can be, in words; empty: nothing.
[[nodiscard]] std::string missingRecords(const telemetry::JournalStatus& status);

}  // namespace lockstep::coordination
