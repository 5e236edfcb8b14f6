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

/// Process 0's job as this host runs it: with this host's data folder and cache, `jobFolder` being
/// where the job file lies here.
[[nodiscard]] Result<std::string> jobHere(const std::string& process0Toml,
                                          const config::JobSpec& own, const std::string& jobFolder);

/// The data folder as it is found from anywhere; empty when the job names none.
[[nodiscard]] std::string absoluteDirectory(const std::string& directory,
                                            const std::string& jobFolder);

/// data.cache as it is found from anywhere: a file's path made absolute, a word as it is.
[[nodiscard]] std::string absoluteCache(const std::string& cache, const std::string& jobFolder);

}  // namespace lockstep::launch
