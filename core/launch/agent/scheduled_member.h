// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "core/config/job/job_spec.h"
#include "core/launch/agent/member_agent.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::launch {

/// One process of a job whose coordinator is hosted elsewhere, as a scheduler or the user starts
/// it.
struct ScheduledMember {
    std::filesystem::path ticketFile;  ///< Process 0 leaves the job's keys there.
    bool ticketNamesStart = false;     ///< No other start has a ticket of this name.
    std::string process0;              ///< For people: where it is awaited, "n1:62016".
    std::filesystem::path workerProgram;
    wire::Role role = wire::ROLE_WORKER;
    std::uint32_t processId = 0;  ///< Of the evaluators: the number of workers.
    config::JobSpec job;    ///< As this process was given it; must mean what process 0's does.
    std::string jobFolder;  ///< For relative paths in it.
    std::string ownHost;    ///< By which the job names this host; may be empty.
    wire::DeviceChoice deviceChoice{};  ///< The GPUs that it was started with; may be empty.
    std::function<void(const std::string& line)>
        say;  ///< Progress, for the terminal. May not block.
    /// It has no processes any more, and ends so, before this start is taken apart, which may wait
    /// for a thread that never ends.
    std::function<void(const MemberEnd& end)> ends{};
};

/// How the run ended for this process.
struct ScheduledEnd {
    MemberEnd end;
    std::filesystem::path runFolder{};  ///< Empty while it was not known.
};

/// The agent of one process: waits for process 0's ticket, joins its coordinator, and is a
/// MemberAgent until the run is over. Blocks for as long, on a thread whose end would end the
/// worker. `terminate`, set by a signal, asks the whole job to stop in order.
[[nodiscard]] ScheduledEnd runScheduledMember(const ScheduledMember& member,
                                              const std::atomic<bool>& terminate);

}  // namespace lockstep::launch
