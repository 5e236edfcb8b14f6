// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/run_folders.h"

#include <fmt/format.h>

#include "core/job/session.h"

namespace lockstep::app {

Result<std::filesystem::path> findRun(const std::string& name) {
    std::error_code error;
    if (std::filesystem::is_directory(name, error)) return std::filesystem::path(name);
    const auto runs = job::listRuns("runs");
    for (const job::RunEntry& run : runs) {
        if (run.runId == name || run.runDir.filename() == name) return run.runDir;
    }
    return fail(ErrorCode::NotFound, fmt::format("there is no run {}", name),
                runs.empty() ? "There are no runs below runs/; name the run's folder."
                             : "`lockstepctl runs` lists those below runs/.");
}

}  // namespace lockstep::app
