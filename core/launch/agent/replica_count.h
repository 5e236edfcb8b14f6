// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/config/cluster/cluster_facts.h"
#include "core/config/job/job_spec.h"
#include "core/tensor/gpu_support.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::launch {

/// What one process of `here` on a host makes of "all" devices: its even share of the GPUs that it
/// may use, one at least.
[[nodiscard]] int replicasOfAll(const config::ClusterSpec& cluster,
                                const tensor::GpuSupport& support, const wire::DeviceChoice& choice,
                                int here);

/// The agent's job with a number in the place of "all": that of the run which is resumed, so that
/// it goes on as it was, else what this host's GPUs give, and no more than a batch has samples for.
/// Looks for GPUs only where they count. BadInput where the batch is too small all the same.
[[nodiscard]] Result<config::JobSpec> withCountedReplicas(config::JobSpec job,
                                                          const wire::AgentConfig& config);

/// The GPUs that this process was started with, as an argument, a variable or its launcher says;
/// the job's own are not meant.
[[nodiscard]] wire::DeviceChoice deviceChoiceOf(const config::ClusterFacts& cluster);

/// How many processes of a start run on process 0's host, as far as their addresses tell it.
[[nodiscard]] int processesBesideProcess0(const config::ClusterFacts& cluster);

}  // namespace lockstep::launch
