// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "core/base/result.h"
#include "core/launch/process/child_process.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::launch {

/// An agent on this machine, ready. A tied one ends its job when `process` is destroyed (its
/// standard input closes); a detached one lives on.
struct LocalAgent {
    std::unique_ptr<ChildProcess> process;
    wire::AgentReady ready;
};

/// Starts an agent in a session of its own and waits until it is ready or has refused. The error
/// is the agent's sentence: BadInput when the job or its places are wrong. PeerLost when a signal
/// has ended it.
[[nodiscard]] Result<LocalAgent> launchLocalAgent(const wire::AgentConfig& config);

}  // namespace lockstep::launch
