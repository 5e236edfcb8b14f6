// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"

namespace lockstep::launch {

/// Processes that are started one by one are each given the job: all of them must be given the
/// same, but for what describes the cluster and the places of one host. BadInput names the first
/// line that differs; `name` is this process.
[[nodiscard]] Result<void> checkSameJob(const config::JobSpec& own, const std::string& process0Toml,
                                        const std::string& name);

/// Process 0's job as this host runs it: with the paths of this host's job file, which lies in
/// `jobFolder`.
[[nodiscard]] Result<std::string> jobHere(const std::string& process0Toml,
                                          const config::JobSpec& own, const std::string& jobFolder);

}  // namespace lockstep::launch
