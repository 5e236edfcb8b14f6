// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job_spec.h"

namespace lockstep::job {

/// What launching a job does besides running Lockstep's own programs on this machine: the program
/// that it names, the variables, the hosts that it reaches and how, one sentence each, in which
/// whatever the file says is quoted so that nothing of it is hidden. Empty: nothing.
/// Opening a job file does none of it; whoever launches one that came from elsewhere shall see
/// this first.
[[nodiscard]] std::vector<std::string> launchEffects(const config::JobSpec& job,
                                                     const std::filesystem::path& jobFolder);

/// The files that this user has launched before, each with what it did. Reads the disk with every
/// call: not for the UI thread. Used by one thread.
class TrustedJobs {
public:
    /// In `folder`, by default the user's state folder.
    TrustedJobs();
    explicit TrustedJobs(std::filesystem::path folder);

    /// Whether this file was launched with exactly these effects. True where there are none; false
    /// where what is known cannot be read.
    [[nodiscard]] bool contains(const std::filesystem::path& jobFile,
                                const std::vector<std::string>& effects) const;
    /// Remembers it, for the newest 500 files. Effects above 16 KiB are not remembered.
    [[nodiscard]] Result<void> add(const std::filesystem::path& jobFile,
                                   const std::vector<std::string>& effects) const;

private:
    std::filesystem::path file_;
};

}  // namespace lockstep::job
