// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "core/launch/ssh/bootstrap.h"
#include "core/launch/ssh/ssh_connection.h"

namespace lockstep::launch {

/// The exchange of bootstrap.h over a connection, from the login to the service's first frame.
class HostStart {
public:
    HostStart(SshConnection& connection, const std::vector<Bundle>& bundles,
              const SshOptions& options, const Say& say, const std::stop_token& cancel)
        : connection_(connection),
          bundles_(bundles),
          options_(options),
          say_(say),
          cancel_(cancel) {}

    /// Waits until the host is ready to be told what to run: the login is over then.
    [[nodiscard]] Result<void> logIn();
    /// Copies the build when the host lacks it, and starts its service.
    [[nodiscard]] Result<void> start();

private:
    [[nodiscard]] Result<BootstrapAnswer> answer(Nanos deadline, const char* doing);
    [[nodiscard]] std::optional<BootstrapAnswer> answerInInbox();
    [[nodiscard]] Result<void> send(std::string_view bytes, Nanos deadline);
    [[nodiscard]] Result<void> copyBundle(const std::string& machine);
    [[nodiscard]] Error noShell();

    SshConnection& connection_;
    const std::vector<Bundle>& bundles_;
    const SshOptions& options_;
    const Say& say_;
    const std::stop_token& cancel_;
    bool isReady_ = false;
    std::size_t skipped_ = 0;  ///< Bytes that the account's start files have printed.
    std::string said_;         ///< The last line of them.
};

}  // namespace lockstep::launch
