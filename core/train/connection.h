// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/collective/make_communicators.h"
#include "core/config/job/job_spec.h"
#include "core/data/batch_plan.h"
#include "core/tensor/gpu_support.h"
#include "core/train/replica/gpu_choice.h"
#include "core/train/replica/gpu_steps.h"
#include "core/train/replica/job_context.h"
#include "core/train/replica/program_place.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::train {

/// One replica's place in a mesh: its column's part of the network, and its row's connection.
struct MeshPlace {
    std::unique_ptr<program::Network> part;
    std::unique_ptr<collective::Communicator> model;
};

/// This process's replicas, connected to all others, and what they compute on.
struct Connection {
    std::vector<std::unique_ptr<collective::Communicator>> communicators;
    GpuChoice choice;
    std::vector<tensor::GpuInfo> gpus;       ///< Of each replica; empty on the CPU.
    std::vector<tensor::EngineLinks> links;  ///< Of each replica, by NCCL; the communicators'.
    /// Of each replica, where they share the network's tensors; `communicators` are their columns'
    /// then. Else empty.
    std::vector<MeshPlace> mesh;

    [[nodiscard]] const char* device() const { return choice.gpu ? "gpu" : "cpu"; }
};

/// The processes of the job, of which this is number `process`.
[[nodiscard]] collective::Topology topologyOf(const wire::Welcome& roster, std::uint32_t process);

/// Of replicas that NCCL does not join.
[[nodiscard]] collective::TransportChoice transportOf(const config::ClusterSpec& cluster);

/// What this machine offers for a job: nothing is looked for when it runs on the CPU. BadInput
/// when the job insists on a GPU, and there is none to use.
[[nodiscard]] Result<tensor::GpuSupport> findGpus(const config::JobSpec& job);

/// Decides by the roster what to compute on, as all others do, and connects: by NCCL where GPUs run
/// whole steps, or as `options` say. `beyond`: as of decideGpus(). Says on standard error what
/// "auto" could not do.
[[nodiscard]] Result<Connection> connectReplicas(const config::ClusterSpec& cluster,
                                                 const tensor::GpuSupport& support,
                                                 const wire::Welcome& roster,
                                                 const collective::CommunicatorOptions& options,
                                                 const std::string& beyond);

/// The same for a job whose replicas share the network's tensors. BadInput: the layout does not fit
/// the network, or the mesh the replicas.
[[nodiscard]] Result<Connection> connectMesh(const JobContext& context,
                                             const tensor::GpuSupport& support,
                                             const wire::Welcome& roster,
                                             collective::CommunicatorOptions options,
                                             std::uint32_t largestShare);

/// What the programs of local replica `local` run on, where the host takes part in its steps.
[[nodiscard]] ProgramPlace placeOf(const Connection& connection, std::size_t local,
                                   const config::TrainingSpec& training);

/// What runs the whole steps of local replica `local`; null where the host takes part. Called by
/// each replica's own thread at about the same time, because NCCL's first sums are made here.
/// `connection`, `batches` and `mesh` (null: the network is whole) must outlive it.
[[nodiscard]] Result<std::unique_ptr<GpuSteps>> makeGpuSteps(Connection& connection,
                                                             std::size_t local,
                                                             const JobContext& context,
                                                             const data::BatchPlan& batches,
                                                             std::uint64_t seed, MeshMember* mesh);

}  // namespace lockstep::train
