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

/// Nothing where the run has no agent on this machine (any more), or none is known yet.
[[nodiscard]] std::optional<AgentProcess> agentProcess(const RunPaths& paths);

/// "the run's agent (pid 17) is stopped", and how it goes on.
[[nodiscard]] std::string stoppedSentence(const AgentProcess& agent);
[[nodiscard]] std::string stoppedRemedy(const AgentProcess& agent);

/// Sends `signal` to the run's agent on this machine, known by pid and start time, never by name.
/// False when there is no such process any more. For an agent that its socket does not reach.
[[nodiscard]] bool signalAgent(const RunPaths& paths, int signal);

}  // namespace lockstep::run
