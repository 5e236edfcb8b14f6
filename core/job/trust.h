// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"

namespace lockstep::job {

/// What launching a job does besides running Lockstep's own programs on this machine: the program
/// that it names, the variables, the hosts that it reaches and how, one sentence each, in which
/// whatever the file says is quoted so that nothing of it is hidden. Empty: nothing.
/// Opening a job file does none of it; whoever launches one that came from elsewhere shall see
/// this first.
[[nodiscard]] std::vector<std::string> launchEffects(const config::JobSpec& job,
                                                     const std::filesystem::path& jobFolder);

/// What examining the job's hosts does: of the launch's effects, those that reach hosts.
[[nodiscard]] std::vector<std::string> loginEffects(const config::JobSpec& job,
                                                    const std::filesystem::path& jobFolder);

struct RemoteRecord;

/// What following the run of a folder does besides reading the folder: the login on the host that
/// serves it, as the folder says. Empty: nothing. The one by `runDir` reads the disk.
[[nodiscard]] std::vector<std::string> attachEffects(const RemoteRecord& record);
[[nodiscard]] std::vector<std::string> attachEffects(const std::filesystem::path& runDir);

/// The files that this user has launched before, each with what it did. Reads the disk with every
/// call: not for the UI thread. Used by one thread; programs of this user may add at once.
class TrustedJobs {
public:
    /// In `folder`, by default the user's state folder.
    TrustedJobs();
    explicit TrustedJobs(const std::filesystem::path& folder,
                         const std::string& fileName = "launched-jobs");

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

/// The same for run folders and the effects of attaching to them: those that this user has
/// launched, or agreed to attach to.
[[nodiscard]] TrustedJobs trustedRuns();

/// Whether this user has launched the job file like this, or agreed to examine its hosts.
[[nodiscard]] bool mayExamine(const std::filesystem::path& jobFile, const config::JobSpec& job,
                              const std::filesystem::path& jobFolder);

}  // namespace lockstep::job
