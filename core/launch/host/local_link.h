// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/launch/host/host_link.h"

namespace lockstep::launch {

/// Links to services on this machine, whatever the host is called: a child process each.
/// `workerProgram`: lockstep-worker. `forwards`: whether the link leads to sockets by itself, as
/// ssh does where sshd allows it.
[[nodiscard]] OpenLink localLinks(std::filesystem::path workerProgram, bool forwards);

}  // namespace lockstep::launch
