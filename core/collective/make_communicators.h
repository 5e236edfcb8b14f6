// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/collective/store.h"
#include "core/collective/topology.h"

namespace lockstep::collective {

/// How replicas of different processes talk. Replicas of one process always share its memory.
enum class TransportChoice : std::uint8_t {
    Auto,  ///< Shared memory within a host, Gloo between hosts.
    Shm,   ///< Shared memory only; refused when there is more than one host.
    Gloo,  ///< Gloo between all processes, also within a host.
};

struct CommunicatorOptions {
    Topology topology;
    TransportChoice transport = TransportChoice::Auto;
    BufferLayout layout;  ///< The same in every process; a difference is found and refused.
    /// The memory of this host's replicas: a memfd, empty before its first use, inherited by all
    /// processes of the host. One serves one generation. Borrowed for the call. -1: this process
    /// has the host for itself, or uses Gloo.
    int segmentFd = -1;
    std::size_t segmentOffset = 0;  ///< Where in it: groups of a mesh lie one behind the other.
    /// Words of a replica that travel together in allGather(): more of them takes rounds.
    std::size_t gatherWords = 2048;
    std::string backend{};  ///< What the job calls its transport; empty: as the topology has it.
    int hostReplicas = 0;   ///< Of the job on this host, who want its processors; 0: these.
    /// Needed where Gloo is used. Must outlive the call only.
    Store* store = nullptr;
    std::string prefix;    ///< Of the store's keys: names job and generation, so never used twice.
    std::string bindHost;  ///< This process's address that the others can reach, for Gloo.
    Nanos timeout{std::chrono::seconds(30)};  ///< Of joining, and of every wait afterwards.
};

/// local | shm | gloo | shm+gloo
[[nodiscard]] std::string backendFor(const Topology& topology, TransportChoice transport);
/// What the replicas of a host take of its memory.
[[nodiscard]] std::size_t segmentBytes(const CommunicatorOptions& options, int host);

/// Joins the other processes of the job and returns one communicator per replica of this process,
/// in local order; each belongs to the thread of its replica. Blocks until every process has
/// joined. BadInput: a transport that cannot work, or a process with another model. Timeout,
/// PeerLost: not everybody came. Unavailable, Io: no memory, no such local address.
/// Gloo's sockets lack MSG_NOSIGNAL, so where Gloo is used SIGPIPE becomes ignored.
[[nodiscard]] Result<std::vector<std::unique_ptr<Communicator>>> makeCommunicators(
    const CommunicatorOptions& options);

}  // namespace lockstep::collective
