// SPDX-License-Identifier: Apache-2.0
#include "core/job/data_folder.h"

#include <fmt/format.h>

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
    if (job.launch.runsOwnProgram())
        return fail(ErrorCode::Unavailable, "the job's own program reads its data",
                    "Nothing needs to be done.");
    if (job.launch.method != config::LaunchMethod::Local)
        return fail(ErrorCode::Unavailable, "the data lie on the hosts that train",
                    "Nothing needs to be done: the start tells. Where this machine sees the same "
                    "files, Show samples reads them.");
    const bool areImages = job.data.dataset == "image_folder" && !job.data.directory.empty() &&
                           job.data.imageSize != config::ImageSize{};
    if (areImages) return data::readDataFacts(job.data, jobFolder);
    if (!config::namesFiles(job.data.dataset))
        return fail(ErrorCode::Unavailable, "only reading all of the data tells",
                    "Show samples reads them.");
    if (data::namedBytes(job.data, jobFolder) > data::kMostBytesLookedAt)
        return fail(ErrorCode::Unavailable,
                    fmt::format("their files have more than {} MiB, which is not read unasked",
                                data::kMostBytesLookedAt >> 20),
                    "Show samples reads them.");
    return data::readDataFacts(job.data, jobFolder);
}

Result<std::vector<TableColumn>> columnsOfTable(const config::JobSpec& job,
                                                const std::filesystem::path& jobFolder) {
    if (job.launch.method != config::LaunchMethod::Local || job.launch.runsOwnProgram())
        return fail(ErrorCode::Unavailable, "the table lies on other hosts",
                    "Name its columns in the text of the job file.");
    return data::lookAtColumns(job.data, jobFolder);
}

}  // namespace lockstep::job
