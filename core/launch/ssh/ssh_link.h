// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "core/base/clock.h"
#include "core/launch/host/host_link.h"

namespace lockstep::launch {

class AskServer;
class OpeningLimit;

struct SshOptions {
    std::string configFile{};                    ///< launch.ssh_config; empty: the user's own.
    std::filesystem::path bundles{};             ///< Folder of findBundles.
    std::shared_ptr<AskServer> asker{};          ///< Null: nobody answers questions.
    std::string opening{};                       ///< Shared by links that open at once: see asker.
    std::shared_ptr<OpeningLimit> limit{};       ///< Shared by links that open at once; null: none.
    std::filesystem::path program{};             ///< Empty: the `ssh` of PATH.
    int connectSeconds = 10;                     ///< For reaching the host.
    Nanos loginTime = std::chrono::seconds(30);  ///< Then for logging in, with nobody asked.
    Nanos copyTime = std::chrono::minutes(10);   ///< For a bundle on its way.
};

/// Progress in words; called on the thread that opens.
using Say = std::function<void(const std::string&)>;

/// Connects to `destination` by the system's ssh, puts this exact build of lockstep-worker there
/// unless it is there already, and starts its host service. Blocks within the options' times, so it
/// is called on a thread that may wait. BadInput: not a destination; Unavailable with ssh's or the
/// host's cause in a sentence; Cancelled soon after `cancel`.
[[nodiscard]] Result<std::unique_ptr<HostLink>> openSsh(const std::string& destination,
                                                        const SshOptions& options, const Say& say,
                                                        const std::stop_token& cancel = {});

}  // namespace lockstep::launch
