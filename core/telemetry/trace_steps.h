// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "core/telemetry/clock_book.h"
#include "core/telemetry/step_layout.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::telemetry {

/// Who is who in a journal, as far as it was read: whose records those of a replica are, and which
/// life of a process writes now.
class RunRoster {
public:
    struct Process {
        std::uint64_t incarnation = 0;
        std::string host;
    };

    void take(const wire::ReplicaInfo& info);
    /// The process of a replica; {worker, kUnknown} where nothing told it.
    [[nodiscard]] ProcessName processOf(std::uint32_t replica) const;
    [[nodiscard]] const Process& process(const ProcessName& name) const;

    static constexpr std::uint32_t kUnknown = 0xffffffff;

private:
    std::map<std::uint32_t, ProcessName> processOfReplica_;
    std::map<ProcessName, Process> processes_;
};

/// A time that a process's record tells, on the coordinator's clock: nanoseconds since 1970.
[[nodiscard]] std::int64_t timeOn(const ClockBook& clocks, const RunRoster& roster,
                                  const ProcessName& process, double seconds);

/// Calls `use` with each step of the batch, in order.
void placeSteps(const wire::StepBatch& batch, const ClockBook& clocks, const RunRoster& roster,
                const std::function<void(const PlacedStep&)>& use);

}  // namespace lockstep::telemetry
