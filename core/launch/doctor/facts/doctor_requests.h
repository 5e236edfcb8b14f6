// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "core/launch/host/host_requests.h"

namespace lockstep::launch {

/// What the doctor asks of a host, as entries for its service. `worker`: this host's
/// lockstep-worker. Listeners live as long as the table.
[[nodiscard]] HostRequests doctorRequests(const std::filesystem::path& worker);

}  // namespace lockstep::launch
