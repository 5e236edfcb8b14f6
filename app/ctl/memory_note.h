// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>

#include "core/config/document/job_file.h"
#include "core/config/job/finding.h"

namespace lockstep::app {

/// What each replica of a job with a mesh takes of its host's memory; nothing for other jobs, and
/// where the data are too large to be looked at. Reads them: not for a thread that must not wait.
[[nodiscard]] std::optional<config::Finding> memoryNote(const config::JobDocument& job,
                                                        const std::filesystem::path& jobFolder);

}  // namespace lockstep::app
