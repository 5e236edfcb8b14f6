// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "core/launch/ssh/opening_limit.h"
#include "core/launch/ssh/socket_folder.h"
#include "core/launch/ssh/ssh_command.h"
#include "core/launch/ssh/ssh_errors.h"
#include "core/launch/ssh/ssh_link.h"
#include "core/launch/ssh/ssh_process.h"

namespace lockstep::launch {

/// One running ssh and what is known of it. Used by one thread.
struct SshConnection {
    std::string host;  ///< As the user names it.
    std::filesystem::path program;
    SshCommand command;
    SshPolicy policy;
    SocketFolder folder;
    OpeningLimit::Turn turn{};  ///< Held until the login is over.
    std::unique_ptr<SshProcess> process{};

    /// Why it has ended, in the user's words; waits for ssh's end.
    [[nodiscard]] Error endError(bool wasOpen);
};

/// Starts ssh toward the destination with `remoteCommand`; returns before it has connected. Waits
/// for its turn where logins are limited.
[[nodiscard]] Result<SshConnection> startSsh(const std::string& destination,
                                             const SshOptions& options,
                                             const std::string& remoteCommand,
                                             const std::stop_token& cancel);

}  // namespace lockstep::launch
