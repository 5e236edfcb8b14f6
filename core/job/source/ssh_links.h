// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "core/config/job/job_spec.h"
#include "core/job/fold/session.h"
#include "core/launch/host/link_opener.h"

namespace lockstep::job {

/// Links over the system's ssh with `configFile` as its -F (empty: the user's own), a few opened at
/// a time. A question that was declined once is declined for all of them.
[[nodiscard]] launch::MakeLinks sshLinks(const std::string& configFile,
                                         const ConnectOptions& connect);

/// launch.ssh_config as it means from any folder; empty where the job names none.
[[nodiscard]] std::string absoluteSshConfig(const config::JobSpec& job,
                                            const std::filesystem::path& jobFolder);

}  // namespace lockstep::job
