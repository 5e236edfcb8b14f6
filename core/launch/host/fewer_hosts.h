// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "core/base/result.h"
#include "core/launch/host/remote_launch.h"

namespace lockstep::launch {

/// launch.least_processes; 0 also where the job cannot be read.
[[nodiscard]] int leastProcessesOf(const std::string& jobToml);

/// It is not asked for, and the job is one that could.
[[nodiscard]] bool couldAskForFewer(const std::string& jobToml);

/// The order without a host that stays lost, which stands in its configuration's `left_hosts` from
/// now on. The processes of the others keep their order, and are numbered anew from 0, in the plan
/// and in the job alike; an evaluator that was there goes to process 0's host. BadInput: those that
/// are left cannot go on with the job, and why.
[[nodiscard]] Result<RemoteOrder> orderWithout(RemoteOrder order, std::size_t host);

}  // namespace lockstep::launch
