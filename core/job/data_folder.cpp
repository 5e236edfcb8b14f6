// SPDX-License-Identifier: Apache-2.0
#include "core/job/data_folder.h"

#include "core/config/job/data_sources.h"
#include "core/data/load_dataset.h"

namespace lockstep::job {

Result<void> checkDataFolder(const config::JobSpec& job, const std::filesystem::path& jobFolder) {
    const bool readsHere = job.launch.method == config::LaunchMethod::Local &&
                           !job.launch.runsOwnProgram() &&
                           (!job.data.directory.empty() || config::namesFiles(job.data.dataset));
    return readsHere ? data::checkDataFiles(job.data, jobFolder) : Result<void>();
}

}  // namespace lockstep::job
