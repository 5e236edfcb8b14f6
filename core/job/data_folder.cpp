// SPDX-License-Identifier: Apache-2.0
#include "core/job/data_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "core/data/load_dataset.h"

namespace lockstep::job {

namespace fs = std::filesystem;

Result<void> checkDataFolder(const config::JobSpec& job, const fs::path& jobFolder) {
    const bool readsHere = job.launch.method == config::LaunchMethod::Local &&
                           !job.launch.runsOwnProgram() && data::readsFiles(job.data.dataset) &&
                           !job.data.directory.empty();
    if (!readsHere) return {};
    const fs::path folder = (jobFolder / job.data.directory).lexically_normal();
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return fail(ErrorCode::BadInput,
                    fmt::format("data.directory is {}, which is {}", folder.string(),
                                fs::exists(folder, error) ? "no folder" : "not there"),
                    "Choose the folder that holds the data's files.");
    std::vector<std::string> missing;
    for (const char* name : data::kIdxFileNames)
        if (!data::findDataFile(folder, name)) missing.emplace_back(name);
    if (missing.empty()) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("data.directory is {}, which holds no {}", folder.string(),
                            fmt::join(missing, ", no ")),
                "Put them there, as they are or with .gz, or choose the folder that holds them.");
}

}  // namespace lockstep::job
