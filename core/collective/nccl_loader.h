// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/collective/mesh_groups.h"
#include "core/collective/store.h"
#include "core/collective/topology.h"
#include "core/tensor/step_engine.h"

namespace lockstep::collective {

struct NcclOptions {
    Topology topology;
    /// Of a mesh: replicas that share the tensors of a network, a divisor of all. 1: each has it
    /// whole.
    int members = 1;
    BufferLayout layout;       ///< The same in every process; a difference is found and refused.
    std::vector<int> devices;  ///< The GPU of each replica of this process.
    Store* store = nullptr;    ///< Hands out the unique id. Must outlive the call only.
    std::string prefix;        ///< Of the store's keys: names job and generation.
    std::string bindHost;      ///< This process's address; NCCL is told to use its interface.
    Nanos timeout{std::chrono::seconds(30)};  ///< Of joining, and of every wait afterwards.
};

/// A replica's connections: for the contract that Gloo has too, on pinned host memory, and for an
/// engine that sums and gathers where its numbers lie. The communicators own what `links` names.
struct NcclReplica {
    std::unique_ptr<Communicator> communicator;  ///< With all, or its column of a mesh.
    std::unique_ptr<Communicator> model;         ///< With its row; null without a mesh.
    tensor::EngineLinks links;
};

/// Joins all replicas of the job by NCCL, through the module lockstep-cuda; also one replica alone.
/// Of a mesh each row and each column is a connection of its own. All that a replica does by them
/// is enqueued in one order, the same on all replicas of a row: of two that wait for each other's
/// connections there are none.
/// Non-blocking: a thread of each process watches its connections; a failure anywhere, or abort(),
/// ends every wait of the process with PeerLost, and all connections with it, as with Gloo.
/// The order of summation is NCCL's; with LOCKSTEP_NCCL_DETERMINISTIC=1 it is fixed (ring, simple
/// protocol), so that the same job on the same hosts gives the same bits again. Columns of a mesh
/// with more than two rows gather, and add in the replicas' order. Errors as makeCommunicators(),
/// and those of the module.
[[nodiscard]] Result<std::vector<NcclReplica>> makeNcclReplicas(const NcclOptions& options);

/// The module's second entry, `extern "C" lockstepNcclModule(abi)`; null for another abi.
struct NcclModuleTable {
    Result<std::vector<NcclReplica>> (*makeReplicas)(const NcclOptions& options) = nullptr;
    int version = 0;  ///< 22809 is 2.28.9.
};

extern "C" {
using NcclModuleEntry = const NcclModuleTable* (*)(std::uint32_t abi);
}

}  // namespace lockstep::collective
