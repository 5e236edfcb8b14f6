// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "core/launch/host/host_link.h"
#include "core/launch/host/host_requests.h"

namespace lockstep::launch {

/// A link to this very machine: the requests are done in this process, each on a thread of its
/// own, as the service of a host does them. Destruction waits for those that are under way.
[[nodiscard]] std::unique_ptr<HostLink> makeThisHostLink(std::string host, HostRequests requests);

}  // namespace lockstep::launch
