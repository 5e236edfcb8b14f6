// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/launch/process/child_process.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::launch {

/// The life of a process of a job whose launch.command trains: joins the job as a worker does,
/// starts the user's program in this process's group with the cluster in its environment, passes
/// its reports and heartbeats on, ends it on a stop (SIGTERM, then by force) or when another
/// process is lost, and leaves when it has ended in order. Returns how the program ended, for the
/// caller to end alike; {false, 3} when it was stopped on request. Every error has been reported to
/// the coordinator when it comes back; PeerLost and Timeout mean that another process is the cause.
/// `buildId`: equal for all processes of a job. A SIGTERM to this process stops the job, and so
/// reaches the program, but for one that the program or the agent sends; once it has ended, SIGTERM
/// is ignored.
[[nodiscard]] Result<ExitStatus> runUserProgram(const wire::WorkerConfig& config,
                                                const std::string& buildId);

}  // namespace lockstep::launch
