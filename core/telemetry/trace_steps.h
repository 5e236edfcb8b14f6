// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/telemetry/clock_book.h"
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

/// A step of a replica where it belongs in time.
struct PlacedStep {
    static constexpr std::array<std::string_view, 5> kPhases{"data", "forward", "backward",
                                                             "all-reduce", "update"};
    std::uint64_t step = 0;
    std::int64_t begin = 0;  ///< Nanoseconds since 1970, as the next ones.
    std::int64_t end = 0;
    bool hasPhases = false;
    /// When each phase ends: they are laid one behind the other from the step's begin on, since a
    /// record tells only how long each took.
    std::array<std::int64_t, 5> phaseEnds{};
    float loss = 0;
    bool hasLoss = false;
};

/// Calls `use` with each step of the batch, in order.
void placeSteps(const wire::StepBatch& batch, const ClockBook& clocks, const RunRoster& roster,
                const std::function<void(const PlacedStep&)>& use);

}  // namespace lockstep::telemetry
