// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "core/launch/ssh/opening_limit.h"
#include "core/launch/ssh/ssh_command.h"
#include "core/launch/ssh/ssh_errors.h"
#include "core/launch/ssh/ssh_link.h"
#include "core/launch/ssh/ssh_process.h"

namespace lockstep::launch {

/// A private folder for the sockets of one connection; removed with it.
class SocketFolder {
public:
    [[nodiscard]] static Result<SocketFolder> make();
    ~SocketFolder();
    SocketFolder(SocketFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    SocketFolder& operator=(SocketFolder&&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    explicit SocketFolder(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;
};

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
