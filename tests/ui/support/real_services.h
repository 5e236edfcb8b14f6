// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/job/doctor.h"
#include "core/job/fold/session.h"
#include "ui/bridge/job_services.h"

namespace lockstep::testsupport {

/// Real jobs, as the program gives them to its window.
inline ui::JobServices realServices() {
    return {
        .launch =
            [](const std::string& toml, const std::filesystem::path& folder,
               const job::LaunchOptions& options) { return job::launch(toml, folder, options); },
        .attach = [](const std::filesystem::path& runDir,
                     const job::ConnectOptions& options) { return job::attach(runDir, options); },
        .listRuns = [](const std::filesystem::path& folder) { return job::listRuns(folder); },
        .isRunning = job::isRunning,
        .startDoctor =
            [](const std::string& toml, const std::filesystem::path& folder,
               const job::DoctorOptions& options) {
                return job::startDoctor(toml, folder, options);
            },
    };
}

}  // namespace lockstep::testsupport
