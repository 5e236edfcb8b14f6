// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/wire/messages/doctor.pb.h"

namespace lockstep::launch {

/// A TCP port of this host that some process listens at.
struct ListeningPort {
    std::uint32_t port = 0;
    std::uint64_t inode = 0;  ///< Of its socket.
};

/// All listening TCP ports, IPv4 and IPv6, of this network namespace.
[[nodiscard]] std::vector<ListeningPort> listeningPorts();

/// The inodes of a process's sockets; empty for processes of other users.
[[nodiscard]] std::vector<std::uint64_t> socketsOf(pid_t pid);

/// A process that is looked at, and the name it runs under ("python3").
struct PortHolder {
    pid_t pid = 0;
    std::string name;
};

/// The process that listens at `port`; pid 0 where it belongs to another user.
[[nodiscard]] PortHolder holderOf(std::uint32_t port);

/// Completes the answer of a listener that could not be opened because somebody else has its port.
void nameHolder(const wire::OpenListener& wanted, wire::ListenerOpened& answer);

/// The ids of all processes of this host.
[[nodiscard]] std::vector<pid_t> allProcesses();

}  // namespace lockstep::launch
