// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/lint/ssh_destination.h"

namespace lockstep::launch {

/// What the user's configuration says about a destination, as `ssh -G` prints it.
struct SshPolicy {
    std::string hostName{};  ///< What the destination's name stands for.
    std::string user{};      ///< As whom ssh logs in.
    int port = 22;
    std::string firstHop{};         ///< The first jump host; empty: the way is direct.
    std::string hostKeyChecking{};  ///< yes | ask | accept-new | no
    std::vector<std::string> identityFiles{};
};
[[nodiscard]] SshPolicy sshPolicyIn(std::string_view sshGOutput);

/// One connection of ours. All of it is visible to other users of this machine.
struct SshCommand {
    config::SshDestination destination;
    std::string configFile{};             ///< `-F`; empty: the user's and the system's own.
    std::filesystem::path controlPath{};  ///< The socket at which forwardings are asked for later.
    bool canAsk = false;                  ///< Somebody answers questions through askpass.
    int connectSeconds = 10;
};

/// Where sockets can be: ssh makes a control socket under a name that is 17 characters longer, and
/// 107 is the system's limit.
inline constexpr std::size_t kLongestControlPath = 90;

/// Arguments (without the program) that print what would be used: `ssh -G`.
[[nodiscard]] std::vector<std::string> sshPolicyArguments(const SshCommand& command);

/// Arguments of the connection itself. The user's configuration counts except where it would get
/// in our way (forwardings, terminals, commands of its own) or would be unsafe: a host key is
/// never accepted unseen. `remoteCommand` is a constant of ours.
[[nodiscard]] std::vector<std::string> sshArguments(const SshCommand& command,
                                                    const SshPolicy& policy,
                                                    const std::string& remoteCommand);

/// Arguments that ask the running connection for a forwarding of the unix socket `local` to
/// `remote` of the host, and that end such a forwarding.
[[nodiscard]] std::vector<std::string> sshForwardArguments(const SshCommand& command,
                                                           const std::filesystem::path& local,
                                                           const std::string& remote);

}  // namespace lockstep::launch
