// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/run/check/journal_account.h"
#include "core/run/run_files.h"

namespace lockstep::run {

/// A file, or a checkpoint, of a run's folder.
struct CheckedPart {
    std::string name;  ///< "journal", "checkpoints/step-500", "events/train/events.out…".
    std::uint64_t bytes = 0;
    std::string problem;      ///< What is wrong with it; empty: it is whole.
    std::string suspicion{};  ///< Why a resume passes over it, whole or not; empty: it does not.
};

/// What was found in a run's folder, all of it read.
struct RunCheck {
    bool isRunning = false;  ///< What was under way is no damage.
    std::vector<CheckedPart> parts;
    JournalAccount journal;         ///< Of nothing where there is none.
    std::uint64_t lostRecords = 0;  ///< By the summary: what the disk did not take.

    /// Parts that have a problem.
    [[nodiscard]] std::uint64_t damagedParts() const;
};

/// Reads everything in a run's folder that has a form of ours, and changes nothing: job file,
/// journal, checkpoints, event files, summary. Of a program of one's own the checkpoints are its
/// own, and it reports the steps that it likes. NotFound where the folder holds no run.
[[nodiscard]] Result<RunCheck> checkRun(const std::filesystem::path& folder);

/// As its job file says.
[[nodiscard]] bool runsOwnProgram(const RunPaths& paths);

/// Puts aside, within the folder, what cannot be read, so that nothing stumbles over it: damaged
/// checkpoints (as damaged-step-N, where another is good), damaged bytes of the journal (as
/// journal.damaged-OFFSET; the journal says so), the damaged ends of event files. What was done, a
/// sentence each, comes into `done`, also where it then fails. BadInput for a run that is under
/// way; Io where the disk refuses.
[[nodiscard]] Result<void> repairRun(const std::filesystem::path& folder,
                                     std::vector<std::string>& done);

}  // namespace lockstep::run
