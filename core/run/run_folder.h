// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/result.h"
#include "core/base/runtime_folder.h"
#include "core/run/earlier_run.h"
#include "core/run/former_run.h"
#include "core/run/run_files.h"

namespace lockstep::run {

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
    /// `fromScratch`, without `resume`: what there is of a run is put aside (EarlierRun).
    [[nodiscard]] static Result<RunFolder> open(const std::filesystem::path& folder, bool resume,
                                                const std::filesystem::path& created = {},
                                                bool fromScratch = false);

    [[nodiscard]] const RunPaths& paths() const { return paths_; }
    /// What whoever starts the run is to hear of its folder, a sentence; empty: nothing.
    [[nodiscard]] const std::string& openingNote() const { return openingNote_; }
    /// Kept in the folder for good, so that an ended run is found by its id, too.
    [[nodiscard]] Result<void> writeRunId(const std::string& runId) const;
    /// Where the folder is now: it may have been moved while it was held. NotFound once it was
    /// removed.
    [[nodiscard]] Result<std::filesystem::path> whereabouts() const;
    /// Takes back what this start has written, when the job turned out to be bad input: what it
    /// created goes, and what a former start has left is as it was. When nobody writes any more.
    void takeBack();
    /// Instead of that, while a thread of this start may still write there: what was written stays,
    /// and what was put aside lies where openingNote() says. The run that was to be resumed has its
    /// job, its figures and its id again.
    void leave();
    /// What the run that is resumed has left; of a new run nothing.
    [[nodiscard]] const FormerRun& former() const { return former_; }

private:
    void rememberContents(bool resume);

    RunPaths paths_;
    UniqueFd lock_;
    std::filesystem::path firstCreated_;  ///< The topmost folder that open() made; empty: none.
    std::vector<std::filesystem::path> absent_;  ///< Of a run's files, those open() did not find.
    FormerRun former_;                           ///< Of a run that is resumed.
    EarlierRun earlier_;                         ///< That was put aside.
    std::string openingNote_;
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

/// The id of the run's newest start; empty when it is not known.
[[nodiscard]] std::string readRunId(const RunPaths& paths);
/// Whether some program holds the run folder's lock now.
[[nodiscard]] bool isLocked(const RunPaths& paths);

}  // namespace lockstep::run
