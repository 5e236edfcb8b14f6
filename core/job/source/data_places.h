// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "core/config/job/data_sources.h"
#include "core/config/job/job_spec.h"
#include "core/wire/messages/doctor.pb.h"

namespace lockstep::job {

/// Where the job's data lie on every host: of a path relative to the job file, in `folder`.
[[nodiscard]] std::filesystem::path absoluteBelow(const std::filesystem::path& folder,
                                                  const std::string& path);
/// data.directory; empty for data that are generated.
[[nodiscard]] std::filesystem::path dataDirectoryOf(const config::JobSpec& job,
                                                    const std::filesystem::path& folder);
/// What is read besides data.directory, where the hosts will look for it.
[[nodiscard]] std::vector<config::NamedFile> dataPlacesOf(const config::DataSpec& data,
                                                          const std::filesystem::path& folder);
/// What a host is asked that may have to take another one's place.
[[nodiscard]] wire::Examine examinationOf(const config::JobSpec& job,
                                          const std::filesystem::path& folder,
                                          const std::filesystem::path& runFolder);

}  // namespace lockstep::job
