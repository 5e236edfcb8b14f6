// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"

namespace lockstep::job {

/// Why runs come to lie where they do.
enum class RunsFolderOrigin : std::uint8_t {
    Chosen,     ///< By this user, for all jobs.
    BesideJob,  ///< `runs` in the job file's folder.
    UserData,   ///< The user's data folder: there is no job file, or nothing can be made beside it.
};

struct RunsFolder {
    std::filesystem::path folder;  ///< Absolute; may be missing still.
    RunsFolderOrigin origin = RunsFolderOrigin::BesideJob;
};

/// Where runs come to lie whose job names no folder: the same for window and terminal, and in every
/// working directory. `jobFolder`: the job file's; empty: there is no file. Reads the disk.
[[nodiscard]] RunsFolder runsFolderFor(const std::filesystem::path& jobFolder);
/// The same for a job that is launched so. What Slurm starts must see the folder on every host, and
/// of a data folder nobody knows that: there it is `runs` in the working directory instead.
[[nodiscard]] std::filesystem::path launchedRunsFolder(config::LaunchMethod method,
                                                       const std::filesystem::path& jobFolder);
/// "beside the job file": for whoever reads where runs lie.
[[nodiscard]] std::string describe(RunsFolderOrigin origin);

/// The folder that this user chose for the runs of all jobs; empty: none.
[[nodiscard]] std::filesystem::path chosenRunsFolder();
/// From now on runs lie there; empty: beside their job files again. Makes the folder. BadInput for
/// one that cannot be made or written.
[[nodiscard]] Result<void> chooseRunsFolder(const std::filesystem::path& folder);

/// Where runs of this user are looked for when no place is named: the chosen folder, the data
/// folder, `runs` in the working directory, and wherever runs were launched into before. Those that
/// are there, each once. Reads the disk.
[[nodiscard]] std::vector<std::filesystem::path> knownRunsFolders();
/// So that runs launched into this folder are found again from anywhere. Best effort: a launch does
/// not fail for it.
void rememberRunsFolder(const std::filesystem::path& folder);

}  // namespace lockstep::job
