// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lockstep::config {

/// Where ssh goes, as its own command line takes it. A host may be a name of the user's ssh
/// configuration.
struct SshDestination {
    std::string user;  ///< Empty: ssh's choice.
    std::string host;  ///< A name, or a numeric address without brackets.
    int port = 0;      ///< 0: ssh's choice.

    /// "user@host", "host:2222", "[fe80::1]:22": for sentences, and equal for equal destinations.
    [[nodiscard]] std::string words() const;
    [[nodiscard]] bool operator==(const SshDestination&) const = default;
};

/// Reads `host`, `user@host`, `host:port`, `[v6]`, `[v6]:port` and `ssh://user@host:port`. BadInput
/// for whatever a shell, ssh or its configuration could take for something else: a leading dash,
/// blanks, quotes, control characters, anything outside letters, digits and `. _ - :`; and for what
/// can be no host: an empty part of a name, numbers that are no address.
[[nodiscard]] Result<SshDestination> parseSshDestination(std::string_view text);

}  // namespace lockstep::config
