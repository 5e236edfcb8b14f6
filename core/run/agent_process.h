// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "core/run/run_files.h"

namespace lockstep::run {

/// The agent of a run, as this machine sees its process: it may be unable to speak for itself.
struct AgentProcess {
    pid_t pid = 0;
    bool isStopped = false;  ///< By SIGSTOP, by job control, or by a debugger.
};

/// In proc(5)'s words: stopped, or traced.
[[nodiscard]] bool isStopped(pid_t pid);

/// Nothing where the run has no agent on this machine (any more), or none is known yet.
[[nodiscard]] std::optional<AgentProcess> agentProcess(const RunPaths& paths);

/// Whether a process of the run that its folder lists is still there, on this machine.
[[nodiscard]] bool hasProcessesHere(const RunPaths& paths);
/// Whether its folder lists processes, and all of them on other machines.
[[nodiscard]] bool isOfOtherHosts(const RunPaths& paths);

/// "the run's agent (pid 17) is stopped", and how it goes on.
[[nodiscard]] std::string stoppedSentence(const AgentProcess& agent);
[[nodiscard]] std::string stoppedRemedy(const AgentProcess& agent);

/// Asks the run's agent on this machine, known by pid and start time, never by name, to end the
/// run (SIGTERM). False when there is no such process any more. For an agent that its socket does
/// not reach.
[[nodiscard]] bool terminateAgent(const RunPaths& paths);
/// Likewise kills it, and its processes with it. Noted in the folder before: whoever has started
/// the agent does not take it for lost.
[[nodiscard]] bool killAgent(const RunPaths& paths);
/// So it is noted of the run's present agent, or of its last one.
[[nodiscard]] bool wasEndedByForce(const RunPaths& paths);

}  // namespace lockstep::run
