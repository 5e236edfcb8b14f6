// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/run_folders.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/job/fold/session.h"

namespace lockstep::app {

Result<std::filesystem::path> findRun(const std::string& name) {
    std::error_code error;
    if (std::filesystem::is_directory(name, error)) return std::filesystem::path(name);
    const auto runs = job::listRuns({});
    const job::RunEntry* found = nullptr;
    for (const job::RunEntry& run : runs) {
        if (run.runId != name && run.runDir.filename() != name) continue;
        if (found != nullptr)
            return fail(ErrorCode::BadInput,
                        fmt::format("there are two runs {}: {} and {}", name,
                                    found->runDir.string(), run.runDir.string()),
                        "Name the whole folder.");
        found = &run;
    }
    if (found != nullptr) return found->runDir;
    return fail(ErrorCode::NotFound, fmt::format("there is no run {}", name),
                runs.empty() ? "No runs are known; name the run's folder."
                             : "`lockstepctl runs` lists those that are known.");
}

std::string namedFolders(const std::vector<std::filesystem::path>& folders) {
    constexpr std::size_t kMostNamed = 10;
    std::string text;
    for (std::size_t i = 0; i < std::min(folders.size(), kMostNamed); ++i)
        text += (text.empty() ? "" : ", ") + folders[i].string();
    if (folders.size() > kMostNamed)
        text += fmt::format(" and {} more", folders.size() - kMostNamed);
    return text;
}

}  // namespace lockstep::app
