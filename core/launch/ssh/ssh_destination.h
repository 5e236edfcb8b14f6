// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/job_spec.h"

namespace lockstep::launch {

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
/// blanks, quotes, control characters, anything outside letters, digits and `. _ - :`.
[[nodiscard]] Result<SshDestination> parseSshDestination(std::string_view text);

/// The destination of each host of the job, in order of first process: launch.hosts, which names
/// one for each process, else the hosts of the addresses. `processes`: whose processes run there.
struct HostOfJob {
    std::string destination;  ///< As it was written.
    std::vector<int> processes;
};
[[nodiscard]] Result<std::vector<HostOfJob>> hostsOfJob(const config::JobSpec& job);

}  // namespace lockstep::launch
