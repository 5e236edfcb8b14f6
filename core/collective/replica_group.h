// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/collective/communicator.h"
#include "core/collective/gloo_exchange.h"
#include "core/collective/host_segment.h"
#include "core/collective/topology.h"
#include "core/collective/wait.h"

namespace lockstep::collective {

/// The replicas that work in one segment, as one of their processes sees them: those of a host, or
/// of one process where processes talk by Gloo alone. The first replica is the leader: it speaks to
/// the other groups. Shared by the communicators of this process.
struct ReplicaGroup {
    std::vector<int> replicas;   ///< Global indices, in order.
    std::vector<int> processOf;  ///< Of every replica of the group.
    Topology topology;
    BufferLayout layout;
    std::string backend;
    Nanos timeout{0};
    WaitPolicy policy;
    std::vector<ExchangeGroup> groups;  ///< All of the job, by rank; one: nobody to exchange with.
    int rank = 0;                       ///< This one's.
    std::unique_ptr<HostSegment> segment;
    std::unique_ptr<GlooExchange> exchange;  ///< In the leader's process, when there are others.

    [[nodiscard]] int size() const { return static_cast<int>(replicas.size()); }
    [[nodiscard]] bool exchanges() const { return groups.size() > 1; }
    /// The group's gradients are added here before they leave.
    [[nodiscard]] bool sumsBeforeExchange() const {
        return size() > 1 && groups[static_cast<std::size_t>(rank)].terms == 1;
    }

    /// Waits until `counter`, which replica `index` of the group moves, has reached `target`.
    /// On failure the group is dead, and the error is the group's first.
    [[nodiscard]] Result<void> await(const std::atomic<std::uint64_t>& counter,
                                     std::uint64_t target, int index, Nanos deadline);
    /// Ok for Done; otherwise kills the group.
    [[nodiscard]] Result<void> check(TransferEnd end);
    /// An error when the group is dead.
    [[nodiscard]] Result<void> alive() const;
    /// Kills the group: wakes all its waiters and closes its connections. Any thread. A leader in
    /// another process that waits for other groups learns of it when that wait ends.
    void giveUp(GroupFailure failure);
};

}  // namespace lockstep::collective
