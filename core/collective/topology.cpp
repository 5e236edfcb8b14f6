// SPDX-License-Identifier: Apache-2.0
#include "core/collective/topology.h"

#include <fmt/core.h>

#include <numeric>
#include <set>

#include "core/base/check.h"
#include "core/base/plural.h"

namespace lockstep::collective {

int Topology::nameOfProcess(int process) const {
    return processNames.empty() ? process : processNames[static_cast<std::size_t>(process)];
}

int Topology::nameOfReplica(int replica) const {
    return replicaNames.empty() ? replica : replicaNames[static_cast<std::size_t>(replica)];
}

int Topology::replicaCount() const {
    return std::accumulate(processes.begin(), processes.end(), 0,
                           [](int sum, const Process& process) { return sum + process.replicas; });
}

int Topology::replica(int process, int local) const {
    int index = local;
    for (int before = 0; before < process; ++before)
        index += processes[static_cast<std::size_t>(before)].replicas;
    return index;
}

int Topology::processOf(int replica) const {
    int behind = 0;
    for (int process = 0; process < processCount(); ++process) {
        behind += processes[static_cast<std::size_t>(process)].replicas;
        if (replica < behind) return process;
    }
    LS_CHECK(false, "a replica belongs to a process");
}

std::vector<int> Topology::hosts() const {
    std::set<int> numbers;
    for (const Process& process : processes)
        numbers.insert(process.host);
    return {numbers.begin(), numbers.end()};
}

std::vector<int> Topology::processesOfHost(int host) const {
    std::vector<int> found;
    for (int process = 0; process < processCount(); ++process)
        if (processes[static_cast<std::size_t>(process)].host == host) found.push_back(process);
    return found;
}

std::vector<int> Topology::replicasOfHost(int host) const {
    std::vector<int> found;
    for (const int process : processesOfHost(host))
        for (const int one : replicasOfProcess(process))
            found.push_back(one);
    return found;
}

std::vector<int> Topology::replicasOfProcess(int process) const {
    std::vector<int> found(
        static_cast<std::size_t>(processes[static_cast<std::size_t>(process)].replicas));
    std::iota(found.begin(), found.end(), replica(process, 0));
    return found;
}

Result<void> Topology::check() const {
    if (processes.empty()) return fail(ErrorCode::BadInput, "the job has no processes");
    for (int process = 0; process < processCount(); ++process) {
        const int replicas = processes[static_cast<std::size_t>(process)].replicas;
        if (replicas < 1)
            return fail(ErrorCode::BadInput, fmt::format("process {} has {}; it needs at "
                                                         "least 1",
                                                         process, counted(replicas, "replica")));
    }
    if (thisProcess < 0 || thisProcess >= processCount())
        return fail(ErrorCode::BadInput,
                    fmt::format("process {} is not of this job, which has {}", thisProcess,
                                counted(processCount(), "process")));
    return {};
}

}  // namespace lockstep::collective
