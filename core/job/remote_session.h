// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/job/fold/session.h"
#include "core/job/source/remote_record.h"
#include "core/launch/host/link_opener.h"

namespace lockstep::job {

/// A launch on other hosts that is ready to begin.
struct RemoteLaunchPlace {
    std::filesystem::path folder;   ///< This machine's run folder, absolute.
    std::filesystem::path created;  ///< The topmost folder made for it; empty: none.
    bool resume = false;
    bool fromScratch = false;  ///< LaunchOptions, with `resume`.
};

/// launch() of session.h for launch.method = "ssh": `job` is complete, with absolute folders.
/// BadInput for a job whose hosts are not known, or a folder that holds another run.
[[nodiscard]] Result<std::unique_ptr<Session>> launchRemote(const config::JobSpec& job,
                                                            const std::filesystem::path& jobFolder,
                                                            const RemoteLaunchPlace& place,
                                                            bool tied,
                                                            const launch::MakeLinks& makeLinks);

/// attach() of session.h for a run that is served on another host.
[[nodiscard]] std::unique_ptr<Session> attachRemote(const std::filesystem::path& runDir,
                                                    const RemoteRecord& record,
                                                    const launch::MakeLinks& makeLinks);

}  // namespace lockstep::job
