// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/terminal/job_argument.h"

namespace lockstep::app {

// Each shows, on standard error, what a file from elsewhere makes this machine do, unless this user
// has agreed to it before, and asks on a terminal.

/// What launching this job runs and reaches. Not on a terminal, the command itself is the consent.
/// False: the answer was no.
[[nodiscard]] bool consentToLaunch(const std::string& jobFile, const ResolvedJob& job);

/// The same for examining its hosts: the logins.
[[nodiscard]] bool consentToExamine(const std::string& jobFile, const ResolvedJob& job);

/// The logins by which a run is followed that this user has not launched: what was agreed to, for
/// ConnectOptions. Not on a terminal nothing is. Nullopt: the answer was no.
[[nodiscard]] std::optional<std::vector<std::string>> consentToAttach(
    const std::filesystem::path& runDir);

}  // namespace lockstep::app
