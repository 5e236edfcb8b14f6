// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/base/result.h"

namespace lockstep::collective {

/// One process of the job: where it runs and how many replicas it holds.
struct Process {
    int host = 0;  ///< Processes with the same number share memory (one agent started them).
    int replicas = 1;

    [[nodiscard]] bool operator==(const Process&) const = default;
};

/// All processes of the job by process id. Replicas are numbered through: those of process 0 first,
/// then those of process 1, and so on. Hosts are ordered by their numbers.
struct Topology {
    std::vector<Process> processes;
    int thisProcess = 0;
    /// Where these are some of a job's, a group of a mesh: what the job calls them, for whoever
    /// reads messages. Empty: as they are numbered here.
    std::vector<int> processNames{};
    std::vector<int> replicaNames{};

    [[nodiscard]] int nameOfProcess(int process) const;
    [[nodiscard]] int nameOfReplica(int replica) const;
    [[nodiscard]] int processCount() const { return static_cast<int>(processes.size()); }
    [[nodiscard]] int replicaCount() const;
    /// Global index of replica `local` of `process`.
    [[nodiscard]] int replica(int process, int local) const;
    /// The process that holds the global replica.
    [[nodiscard]] int processOf(int replica) const;
    /// The numbers of the hosts, ascending.
    [[nodiscard]] std::vector<int> hosts() const;
    /// Ascending process ids; the first is the host's leader, which speaks to other hosts.
    [[nodiscard]] std::vector<int> processesOfHost(int host) const;
    /// Ascending global replicas, which is the order in which a host's gradients are added.
    [[nodiscard]] std::vector<int> replicasOfHost(int host) const;
    [[nodiscard]] std::vector<int> replicasOfProcess(int process) const;
    [[nodiscard]] int leaderOfHost(int host) const { return processesOfHost(host).front(); }

    /// BadInput when there is no process, one without replicas, or thisProcess is not one of them.
    [[nodiscard]] Result<void> check() const;
};

}  // namespace lockstep::collective
