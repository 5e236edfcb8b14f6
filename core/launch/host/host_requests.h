// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <stop_token>

#include "core/base/result.h"
#include "core/wire/messages/host.pb.h"

namespace lockstep::launch {

/// Does what one request asks for, and returns its answer; an error becomes a HostError. Called on
/// a thread of its own, so it may wait, but only with timeouts, and it looks at `stop`, which asks
/// it to give up. It may not write to standard output.
using HostRequest =
    std::function<Result<wire::FromHost>(const wire::ToHost& request, const std::stop_token& stop)>;

/// What the service of a host can be asked, by the body of the request. Agents, the lease and
/// relays are the service's own affair; everything else is an entry here.
using HostRequests = std::map<wire::ToHost::BodyCase, HostRequest>;

}  // namespace lockstep::launch
