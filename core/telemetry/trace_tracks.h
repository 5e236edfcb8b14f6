// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "core/telemetry/clock_book.h"
#include "core/telemetry/trace_packets.h"
#include "core/telemetry/trace_steps.h"

namespace lockstep::telemetry {

/// The tracks of a run's timeline, each described before the first event on it.
class TraceTracks {
public:
    TraceTracks(TracePackets& packets, const ClockBook& clocks, const RunRoster& roster)
        : packets_(packets), clocks_(clocks), roster_(roster) {}

    /// What is of the whole run; `name` counts on the first call.
    [[nodiscard]] TraceTrack& run(const std::string& name = {});
    /// "starts", "state", "events".
    [[nodiscard]] TraceTrack& ofRun(const std::string& name, int rank);
    [[nodiscard]] TraceTrack& process(const ProcessName& name);
    [[nodiscard]] TraceTrack& ofProcess(const ProcessName& process, const std::string& name);
    [[nodiscard]] TraceTrack& replica(std::uint32_t replica);
    [[nodiscard]] TraceTrack& counterOfRun(const std::string& name, const std::string& unit);
    [[nodiscard]] TraceTrack& counter(const ProcessName& process, const std::string& name,
                                      const std::string& unit);

private:
    [[nodiscard]] std::string titleOf(const ProcessName& process) const;

    TracePackets& packets_;
    const ClockBook& clocks_;
    const RunRoster& roster_;
    TraceTrack run_;
    std::map<std::string, TraceTrack> ofRun_;
    std::map<ProcessName, TraceTrack> processes_;
    std::map<std::pair<ProcessName, std::string>, TraceTrack> ofProcesses_;
    std::map<std::pair<std::uint32_t, ProcessName>, TraceTrack> replicas_;
    std::map<std::string, TraceTrack> countersOfRun_;
    std::map<std::pair<ProcessName, std::string>, TraceTrack> counters_;
};

}  // namespace lockstep::telemetry
