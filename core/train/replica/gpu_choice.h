// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/collective/store.h"
#include "core/collective/topology.h"
#include "core/config/job/job_spec.h"
#include "core/tensor/gpu_support.h"

namespace lockstep::train {

/// What a process has to compute on, as it tells the others before anything is connected.
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

/// The GPU of each replica of `topology.thisProcess`: the replicas of a host take its GPUs in
/// turn, so more replicas than GPUs share.
[[nodiscard]] std::vector<int> gpusOf(const collective::Topology& topology, std::size_t gpus);

/// From what every process has; the same answer in every process. `beyond`: why GPUs cannot run
/// whole steps of the job (beyondWholeSteps()). BadInput where the job insists on what cannot be.
[[nodiscard]] Result<GpuChoice> decideGpus(const config::ClusterSpec& cluster,
                                           const std::vector<ProcessGpus>& processes,
                                           const std::string& beyond = {});

/// Tells the other processes what this one has, reads what they have, and decides. Returns at once
/// for a job on CPUs. Timeout, PeerLost: a process did not say.
[[nodiscard]] Result<GpuChoice> agreeOnGpus(const config::ClusterSpec& cluster,
                                            const collective::Topology& topology,
                                            const tensor::GpuSupport& support,
                                            collective::Store& store, const std::string& prefix,
                                            Nanos timeout, const std::string& beyond = {});

}  // namespace lockstep::train
