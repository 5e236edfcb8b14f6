// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "core/base/environment.h"
#include "core/config/document/job_file.h"
#include "core/config/job/finding.h"
#include "core/model/data_facts.h"

namespace lockstep::launch {

/// What a network must know of images in folders: their number of classes is that of the folders,
/// whose images are not read. BadInput, as data::classFolders() says it.
[[nodiscard]] Result<model::DataFacts> imageFacts(const config::DataSpec& data,
                                                  const std::filesystem::path& jobFolder);

/// What a job file names and this machine does not have: the data's files, the user's program.
/// A network that does not fit the classes that the folders of images here tell is an error, too.
/// Errors where the job starts here; where it starts on other hosts, missing data are a warning,
/// and programs are left to the doctor. Looks at the file system: not for a thread that must not
/// wait.
[[nodiscard]] std::vector<config::Finding> findingsHere(const config::JobDocument& job,
                                                        const std::filesystem::path& jobFolder,
                                                        const Environment& environment);

}  // namespace lockstep::launch
