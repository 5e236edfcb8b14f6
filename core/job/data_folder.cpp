// SPDX-License-Identifier: Apache-2.0
#include "core/job/data_folder.h"

#include "core/config/job/data_sources.h"
#include "core/data/data_facts.h"
#include "core/data/load_dataset.h"

namespace lockstep::job {

Result<void> checkDataFolder(const config::JobSpec& job, const std::filesystem::path& jobFolder) {
    const bool readsHere = job.launch.method == config::LaunchMethod::Local &&
                           !job.launch.runsOwnProgram() &&
                           (!job.data.directory.empty() || config::namesFiles(job.data.dataset));
    return readsHere ? data::checkDataFiles(job.data, jobFolder) : Result<void>();
}

Result<model::DataFacts> factsOfData(const config::JobSpec& job,
                                     const std::filesystem::path& jobFolder) {
    const bool readsHere =
        job.launch.method == config::LaunchMethod::Local && !job.launch.runsOwnProgram();
    const bool areImages = job.data.dataset == "image_folder" && !job.data.directory.empty() &&
                           job.data.imageSize != config::ImageSize{};
    const bool areNamed = config::namesFiles(job.data.dataset) &&
                          data::namedBytes(job.data, jobFolder) <= data::kMostBytesLookedAt;
    if (!readsHere || (!areImages && !areNamed))
        return fail(ErrorCode::Unavailable, "the data are not known here",
                    "Nothing needs to be done.");
    return data::readDataFacts(job.data, jobFolder);
}

}  // namespace lockstep::job
