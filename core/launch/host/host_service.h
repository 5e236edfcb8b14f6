// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/launch/host/host_requests.h"

namespace lockstep::launch {

struct HostServiceOptions {
    int input = 0;
    int output = 1;
    std::filesystem::path workerProgram;  ///< What it starts agents with, and they their workers.
    std::string build;                    ///< Of this program; must equal the launcher's.
    HostRequests requests;                ///< Besides those that every service knows.
};

/// The service of a host: does what a launcher asks over the one connection that it holds to this
/// host, as frames of ToHost and FromHost (core/wire/messages.proto). Returns when the input ends
/// or the lease has expired, and with it the agent's standard input is closed: a tied agent ends
/// its job then, a detached one goes on. What it has to say of itself goes to host.log in the
/// user's state folder, never to the output. Blocks; one thread besides those of requests.
/// Returns the exit status of the program.
[[nodiscard]] int runHostService(HostServiceOptions options);

}  // namespace lockstep::launch
