// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/environment.h"
#include "core/config/document/job_file.h"
#include "core/config/job/finding.h"

namespace lockstep::launch {

/// What a job file names and this machine does not have: the data's files, the user's program.
/// Tables, texts and arrays of at most 64 MiB are read: what is wrong in them is an error, too, and
/// so is a network that does not fit them, or the classes that folders of images tell.
/// Errors where the job starts here; where it starts on other hosts, missing data are a warning,
/// and programs are left to the doctor. Looks at the file system: not for a thread that must not
/// wait.
[[nodiscard]] std::vector<config::Finding> findingsHere(const config::JobDocument& job,
                                                        const std::filesystem::path& jobFolder,
                                                        const Environment& environment);

}  // namespace lockstep::launch
