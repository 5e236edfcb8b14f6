// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/config/job/job_spec.h"

namespace lockstep::launch {

/// A job as it is handed to Slurm.
struct SlurmRequest {
    config::JobSpec job;  ///< Complete: run folder and data folders absolute.
    std::filesystem::path workerProgram;
    bool resume = false;  ///< Go on from the newest checkpoint of the run folder.
    Nanos submitLimit = std::chrono::seconds(60);  ///< Then sbatch is ended.
};

/// The names below `slurm` in a run folder.
struct SlurmPlaces {
    std::filesystem::path runFolder;

    [[nodiscard]] std::filesystem::path folder() const { return runFolder / "slurm"; }
    /// What every task is given: the job without what Slurm decides.
    [[nodiscard]] std::filesystem::path job() const { return folder() / "job.toml"; }
    [[nodiscard]] std::filesystem::path script() const { return folder() / "start.sh"; }
    /// What the tasks and Slurm's own programs write.
    [[nodiscard]] std::filesystem::path output() const { return folder() / "output.log"; }
    /// Which job of Slurm's it is.
    [[nodiscard]] std::filesystem::path submission() const { return folder() / "submission.json"; }
};

/// One for each process, and one for the evaluator.
[[nodiscard]] int taskCount(const config::JobSpec& job);

/// The script that Slurm runs, the same for every job; what differs are its arguments.
[[nodiscard]] std::string startScript();
/// The arguments of startScript. `ownOutput`: it writes its output file itself.
[[nodiscard]] std::vector<std::string> scriptArguments(const SlurmRequest& request, bool ownOutput);
/// The arguments of sbatch, the script and its arguments included.
[[nodiscard]] std::vector<std::string> sbatchArguments(const SlurmRequest& request);
/// The job file of the tasks.
[[nodiscard]] std::string taskJobToml(const SlurmRequest& request);

/// Writes script and job file into the run folder, and an empty output file. BadInput for a folder
/// whose name means something else to Slurm, or that cannot be written.
[[nodiscard]] Result<void> writeSlurmFolder(const SlurmRequest& request);

/// Remembers the job of Slurm's that runs in this folder. `journalEnd`: where the journal ended
/// before it.
struct Submission {
    std::int64_t jobId = 0;
    std::uint64_t journalEnd = 0;
};
[[nodiscard]] Result<void> writeSubmission(const SlurmPlaces& places, const Submission& submission);
[[nodiscard]] Result<Submission> readSubmission(const SlurmPlaces& places);

}  // namespace lockstep::launch
