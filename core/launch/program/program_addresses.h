// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/coordination/client/client.h"

namespace lockstep::launch {

/// Where a job's own programs listen, and which of them share a host.
struct ProgramAddresses {
    std::vector<config::Address> addresses;  ///< Of all processes, with real ports.
    std::vector<std::string> hosts;          ///< Of all processes; equal ones are one host.
};

/// Every process tells the others its address through the job's key-value store. `own`: of this
/// process; port 0: a free one is chosen now, and kept from the others of this host until all have
/// chosen. Timeout, PeerLost.
[[nodiscard]] Result<ProgramAddresses> exchangeAddresses(coordination::Client& client,
                                                         std::uint32_t processId, int numProcesses,
                                                         config::Address own, Nanos timeout);

}  // namespace lockstep::launch
