// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/launch/process/child_process.h"

namespace lockstep::launch {

/// What ssh left behind when a connection did not come about, or ended.
struct SshEnd {
    std::string host;                       ///< As the user names it.
    std::string jump{};                     ///< The host that the way goes by; empty: none.
    std::deque<std::string> words{};        ///< Its standard error, line by line, oldest first.
    bool wasOpen = false;                   ///< The host had answered: the connection was lost.
    bool couldAsk = false;                  ///< Somebody could have answered questions.
    std::vector<std::string> lockedKeys{};  ///< Key files that ask for a passphrase.
    ExitStatus status{};
};

/// The user's sentence for it: which of ssh's own causes it was, on which host, with the command
/// that helps. PeerLost when the connection was open, else Unavailable.
[[nodiscard]] Error sshError(const SshEnd& end);

}  // namespace lockstep::launch
