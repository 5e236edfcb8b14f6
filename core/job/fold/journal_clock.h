// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/telemetry/clock_book.h"
#include "core/telemetry/trace_steps.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::job {

/// When the records of a journal were written, by the coordinator's clock: what a process has said
/// is moved by the difference of its clock, as far as it was measured by then. The records of a
/// journal in their order. The timelines of core/telemetry move times alike.
class JournalClock {
public:
    /// Seconds since 1970. 0 stays 0: the record has no time.
    [[nodiscard]] double take(const wire::Record& record);
    /// When the first of these steps ended, in nanoseconds.
    [[nodiscard]] std::int64_t firstEnd(const wire::StepBatch& batch) const;
    /// All that was measured, for a journal that is read again from its beginning.
    [[nodiscard]] const telemetry::ClockBook& measured() const { return clocks_; }
    /// Begins the journal anew and knows from the start what was measured in it.
    void restart() { roster_ = {}; }

private:
    [[nodiscard]] double moved(const telemetry::ProcessName& process, double seconds) const;

    telemetry::ClockBook clocks_;
    telemetry::RunRoster roster_;
};

}  // namespace lockstep::job
