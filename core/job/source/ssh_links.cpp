// SPDX-License-Identifier: Apache-2.0
#include "core/job/source/ssh_links.h"

#include "core/base/ids.h"
#include "core/launch/ssh/opening_limit.h"
#include "core/launch/ssh/ssh_link.h"

namespace lockstep::job {

namespace fs = std::filesystem;

launch::MakeLinks sshLinks(const std::string& configFile, const ConnectOptions& connect) {
    launch::SshOptions options;
    options.asker = connect.asker;
    options.configFile = configFile;
    options.limit = std::make_shared<launch::OpeningLimit>();
    options.opening = randomHex(8);
    return [options](const std::stop_token& cancel) -> launch::OpenLink {
        return [options, cancel](const std::string& host, const launch::Say& say) {
            return launch::openSsh(host, options, say, cancel);
        };
    };
}

std::string absoluteSshConfig(const config::JobSpec& job, const fs::path& jobFolder) {
    if (job.launch.sshConfig.empty()) return {};
    std::error_code error;
    return (fs::absolute(jobFolder, error) / job.launch.sshConfig).lexically_normal().string();
}

}  // namespace lockstep::job
