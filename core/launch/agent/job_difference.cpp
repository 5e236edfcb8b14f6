// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/job_difference.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/config/job/job_paths.h"

namespace lockstep::launch {

namespace {

Result<config::JobSpec> parsed(const std::string& toml) {
    auto document = TRY(config::JobDocument::parse(toml, "process 0's job"));
    return document.checked();
}

/// What all processes must agree on, as text.
std::string commonPart(config::JobSpec job) {
    job.runDir.clear();
    job.cluster = {};
    std::vector<std::string> command = std::move(job.launch.command);
    job.launch = {};
    job.launch.command = std::move(command);
    config::hidePaths(job);
    return config::resolvedToml(job);
}

}  // namespace

Result<void> checkSameJob(const config::JobSpec& own, const std::string& process0Toml,
                          const std::string& name) {
    const auto theirs = TRY(parsed(process0Toml));
    std::istringstream ownLines(commonPart(own));
    std::istringstream theirLines(commonPart(theirs));
    std::string here;
    std::string there;
    while (std::getline(ownLines, here) && std::getline(theirLines, there)) {
        if (here == there) continue;
        return fail(ErrorCode::BadInput,
                    fmt::format("{} was given another job than process 0: `{}` here, `{}` there",
                                name, here, there),
                    "Start all processes with the same job file and the same --set.");
    }
    return {};
}

Result<std::string> jobHere(const std::string& process0Toml, const config::JobSpec& own,
                            const std::string& jobFolder) {
    auto job = TRY(parsed(process0Toml));
    config::takePaths(job, own);
    config::makePathsAbsolute(job, jobFolder);
    if (job.launch.runsOwnProgram())
        job.launch.directory =
            (std::filesystem::path(jobFolder) / own.launch.directory).lexically_normal().string();
    return config::resolvedToml(job);
}

}  // namespace lockstep::launch
