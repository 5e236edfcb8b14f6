// SPDX-License-Identifier: Apache-2.0
#include "core/run/agent_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "core/base/ids.h"
#include "core/base/process_start_time.h"
#include "core/base/process_state.h"

namespace lockstep::run {

namespace {

/// A zombie has let go of all that it had.
bool isThere(const ProcessEntry& entry) {
    return entry.host == hostName() && entry.pid > 0 &&
           processStartTime(entry.pid) == entry.startTime && processState(entry.pid) != 'Z';
}

}  // namespace

bool isStopped(pid_t pid) {
    return isStoppedState(processState(pid));
}

std::optional<AgentProcess> agentProcess(const RunPaths& paths) {
    const auto processes = readProcesses(paths);
    if (!processes) return std::nullopt;
    for (const ProcessEntry& entry : *processes) {
        if (entry.role != "agent" || entry.host != hostName() || entry.pid <= 0) continue;
        if (processStartTime(entry.pid) == entry.startTime)
            return AgentProcess{entry.pid, isStoppedState(processState(entry.pid))};
    }
    return std::nullopt;
}

bool hasProcessesHere(const RunPaths& paths) {
    const auto processes = readProcesses(paths);
    return processes && std::ranges::any_of(*processes, isThere);
}

bool isOfOtherHosts(const RunPaths& paths) {
    const auto processes = readProcesses(paths);
    return processes && !processes->empty() &&
           std::ranges::none_of(*processes,
                                [](const ProcessEntry& entry) { return entry.host == hostName(); });
}

std::string stoppedSentence(const AgentProcess& agent) {
    return fmt::format("the run's agent (pid {}) is stopped, by SIGSTOP or a debugger", agent.pid);
}

std::string stoppedRemedy(const AgentProcess& agent) {
    return fmt::format(
        "Let it go on with `kill -CONT {}`, or end the run with `lockstepctl stop --kill`.",
        agent.pid);
}

bool terminateAgent(const RunPaths& paths) {
    const auto agent = agentProcess(paths);
    return agent && ::kill(agent->pid, SIGTERM) == 0;
}

bool killAgent(const RunPaths& paths) {
    const auto agent = agentProcess(paths);
    if (!agent) return false;
    // Where no note can be made it is killed all the same: that is what the user wants most.
    std::ofstream(paths.forced()) << agent->pid << "\n";
    return ::kill(agent->pid, SIGKILL) == 0;
}

bool wasEndedByForce(const RunPaths& paths) {
    std::error_code error;
    return !paths.folder.empty() && std::filesystem::exists(paths.forced(), error);
}

}  // namespace lockstep::run
