// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/base/runtime_folder.h"
#include "core/run/former_run.h"

namespace lockstep::run {

/// The names inside a run folder. Others read them: they are a contract.
struct RunPaths {
    std::filesystem::path folder;

    [[nodiscard]] std::filesystem::path job() const { return folder / "job.toml"; }
    [[nodiscard]] std::filesystem::path summary() const { return folder / "summary.json"; }
    [[nodiscard]] std::filesystem::path journal() const { return folder / "journal"; }
    [[nodiscard]] std::filesystem::path events() const { return folder / "events"; }
    [[nodiscard]] std::filesystem::path epochs() const { return folder / "epochs.csv"; }
    [[nodiscard]] std::filesystem::path logs() const { return folder / "logs"; }
    [[nodiscard]] std::filesystem::path checkpoints() const { return folder / "checkpoints"; }
    [[nodiscard]] std::filesystem::path processes() const { return folder / "processes.json"; }
    [[nodiscard]] std::filesystem::path lock() const { return folder / "run.lock"; }
    /// Where a monitor finds the running job: run id, socket, key file.
    [[nodiscard]] std::filesystem::path contact() const { return folder / "contact.json"; }
};

/// A process of a run, as processes.json lists it.
struct ProcessEntry {
    std::string role;  ///< agent | worker | evaluator
    int processId = 0;
    std::string host;
    pid_t pid = 0;
    std::uint64_t startTime = 0;
};

/// This process's own, as it runs now.
[[nodiscard]] ProcessEntry entryOfThisProcess(const std::string& role);

/// How to reach a running job from this machine. The key itself lies in `keyFile` (0600) in the
/// user's runtime folder, never in the run folder, which others may read.
struct Contact {
    std::string runId;
    std::string endpoint;  ///< ipc://…
    std::filesystem::path keyFile;
};

/// A run folder that this process owns: locked until destruction, so that a second program on the
/// same folder is refused.
class RunFolder {
public:
    /// Creates the folder where it is missing, and locks it. `resume`: it must hold a run (that may
    /// have ended before its first checkpoint);
    /// otherwise it must not hold an earlier run. A resumed run has no summary until it ends again.
    /// Errors: BadInput with what to do; Unavailable
    /// when another program has it.
    /// `created`: the topmost folder that the caller made to reserve this one; it goes with it
    /// when the job turns out to be bad input.
    [[nodiscard]] static Result<RunFolder> open(const std::filesystem::path& folder, bool resume,
                                                const std::filesystem::path& created = {});

    [[nodiscard]] const RunPaths& paths() const { return paths_; }
    [[nodiscard]] Result<void> writeProcesses(const std::vector<ProcessEntry>& processes) const;
    [[nodiscard]] Result<void> writeContact(const Contact& contact) const;
    /// Kept in the folder for good, so that an ended run is found by its id, too.
    [[nodiscard]] Result<void> writeRunId(const std::string& runId) const;
    void removeContact() const;
    /// Where the folder is now: it may have been moved while it was held. NotFound once it was
    /// removed.
    [[nodiscard]] Result<std::filesystem::path> whereabouts() const;
    /// Takes back what this start has written, when the job turned out to be bad input: what it
    /// created goes, and what a former start has left is as it was. When nobody writes any more.
    void takeBack();
    /// What the run that is resumed has left; of a new run nothing.
    [[nodiscard]] const FormerRun& former() const { return former_; }

private:
    void rememberContents(bool resume);

    RunPaths paths_;
    UniqueFd lock_;
    std::filesystem::path firstCreated_;  ///< The topmost folder that open() made; empty: none.
    std::vector<std::filesystem::path> absent_;  ///< Of a run's files, those open() did not find.
    FormerRun former_;                           ///< Of a run that is resumed.
};

/// Text, such as a job's name, as part of a file's name.
[[nodiscard]] std::string fileName(const std::string& text);
/// The topmost folder on the way to `folder` that does not exist yet; empty when all exist.
[[nodiscard]] std::filesystem::path firstMissingFolder(const std::filesystem::path& folder);
/// Makes a new folder for a run below `runsFolder`: `name`, or `name`-2, -3, … where that exists.
/// Two programs never get the same one.
[[nodiscard]] Result<std::filesystem::path> reserveFolder(const std::filesystem::path& runsFolder,
                                                          const std::string& name);
/// Whether a run may start in the folder, or go on in it, as RunFolder::open will find; takes and
/// changes nothing. Errors as there.
[[nodiscard]] Result<void> checkUsable(const RunPaths& paths, bool resume);
/// Takes the lock of a folder in which a run of another host is followed, and notes the run's id.
/// Unavailable when another program has it.
[[nodiscard]] Result<UniqueFd> lockRunFolder(const RunPaths& paths, const std::string& runId);
/// Removes the checkpoints that retention has kept for the evaluator alone, once it has ended.
void removeScoredCheckpoints(const RunPaths& paths, int keep);
/// Whether the folder holds a run that can be resumed.
[[nodiscard]] bool holdsRun(const RunPaths& paths);

[[nodiscard]] Result<Contact> readContact(const RunPaths& paths);
[[nodiscard]] Result<std::vector<ProcessEntry>> readProcesses(const RunPaths& paths);
/// The id of the run's newest start; empty when it is not known.
[[nodiscard]] std::string readRunId(const RunPaths& paths);
/// Sends `signal` to the run's agent on this machine, known by pid and start time, never by name.
/// False when there is no such process any more. For an agent that its socket does not reach.
[[nodiscard]] bool signalAgent(const RunPaths& paths, int signal);
/// Whether some program holds the run folder's lock now.
[[nodiscard]] bool isLocked(const RunPaths& paths);

}  // namespace lockstep::run
