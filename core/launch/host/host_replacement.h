// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/launch/host/remote_launch.h"

namespace lockstep::launch {

/// The spares of a job, each with the address that its ssh destination names.
[[nodiscard]] std::vector<SpareHost> sparesOf(const config::JobSpec& job);

/// Puts a spare in the place of a host of the order: it gets the host's processes with their ids
/// and ports, in the plan and in the job alike. The host becomes the last of the spares. BadInput
/// when the order's job cannot be read.
[[nodiscard]] Result<wire::HostReplacement> replaceHost(RemoteOrder& order, std::size_t host,
                                                        std::size_t spare);

/// How many GPUs a host needs for its processes. `onGpus`: whether the job computes on them.
[[nodiscard]] int gpusNeeded(const HostPlan& plan, const config::JobSpec& job, bool onGpus);

}  // namespace lockstep::launch
