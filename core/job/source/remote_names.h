// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

#include "core/launch/host/remote_launch.h"
#include "core/launch/host/remote_run.h"

namespace lockstep::job {

/// The sentence of an error that a host's name is put before.
[[nodiscard]] inline std::string withoutHost(const std::string& message, const std::string& host) {
    const std::string prefix = host + ": ";
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

/// "process 1 (node-b): its agent was killed by signal 9 (SIGKILL)"
[[nodiscard]] inline std::string nameOf(const launch::RemoteFailure& failure) {
    return fmt::format("process {} ({}): {}", failure.process, failure.host,
                       withoutHost(failure.error.message, failure.host));
}

/// Likewise, of process 0's, once that is known.
[[nodiscard]] inline std::string agentEndOf(const launch::RemoteRun::State& state) {
    return fmt::format("process 0 ({}): its agent {}", state.place->host, state.agentEnd);
}

}  // namespace lockstep::job
