// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/launch/host/host_requests.h"

namespace lockstep::launch {

/// What a service can be asked of the runs of this user on its host: AttachRun, SeeFolder,
/// ReadRunFile, ListRuns, EndProcess.
void addRunRequests(HostRequests& requests);

/// Where runs lie that no other host sees: below the user's state folder.
[[nodiscard]] std::filesystem::path privateRunsFolder();

}  // namespace lockstep::launch
