// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/launch/ssh/ssh_connection.h"

namespace lockstep::launch {

/// Lets `socket` of the host be reached at a socket of this machine, over the running connection;
/// `number` tells the forwardings of one connection apart. Tries it once. Unavailable where the
/// host forbids it.
[[nodiscard]] Result<std::string> forwardUnixSocket(SshConnection& connection,
                                                    const std::string& socket, int number);

}  // namespace lockstep::launch
