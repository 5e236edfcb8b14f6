// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/document/job_file.h"

namespace lockstep::app {

/// A job as the command line names it: a file, overridden by --set and --processes.
struct JobArgument {
    std::string file;
    std::vector<std::string> settings;  ///< KEY=VALUE
    int processes = 0;                  ///< 0: as the file says.
    std::string runDir;
};

/// A job that can be launched.
struct ResolvedJob {
    config::JobSpec spec;
    std::string toml;  ///< Every value written out.
    std::filesystem::path folder;
    /// What the job does when its launcher is gone, where the file or --set writes it.
    std::optional<config::OnDisconnect> onDisconnect{};
};

/// Reads a job file as the command line names it. NotFound and the like come with a way out.
[[nodiscard]] Result<config::JobDocument> loadJob(const std::string& file);

/// Reads, overrides and lints. Prints warnings to standard error. BadInput names the first error's
/// place; the remedy counts the others.
[[nodiscard]] Result<ResolvedJob> resolveJob(const JobArgument& argument);

}  // namespace lockstep::app
