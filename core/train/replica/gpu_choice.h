// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::train {

/// What a process has to compute on, as it registered it and was given it.
struct ProcessGpus {
    bool usable = false;
    std::string sentence;            ///< Why not, when it is not.
    std::vector<std::string> uuids;  ///< The GPU of each of its replicas; when usable.
};

/// What the replicas of a job compute on: one answer for all of them, known to all.
struct GpuChoice {
    bool gpu = false;
    /// By NCCL, on the GPUs; else the gradients are summed on the host, by shared memory or Gloo,
    /// and come and go through pinned memory.
    bool nccl = false;
    std::string note;  ///< What "auto" could not do and why; empty when there is nothing to say.
};

/// From what every process has; the same answer in every process. `beyond`: why GPUs cannot run
/// whole steps of the job (beyondWholeSteps()). BadInput where the job insists on what cannot be.
[[nodiscard]] Result<GpuChoice> decideGpus(const config::ClusterSpec& cluster,
                                           const std::vector<ProcessGpus>& processes,
                                           const std::string& beyond = {});

/// Likewise from the coordinator's roster, which gives every process its GPUs (assignDevices()).
[[nodiscard]] Result<GpuChoice> decideGpus(const config::ClusterSpec& cluster,
                                           const wire::Welcome& roster,
                                           const std::string& beyond = {});

/// The local numbers of the GPUs of that process's replicas; none on CPUs.
[[nodiscard]] std::vector<int> gpusOf(const wire::Welcome& roster, std::size_t process);

}  // namespace lockstep::train
