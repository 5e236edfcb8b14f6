// SPDX-License-Identifier: Apache-2.0
#include "core/collective/mesh_groups.h"

namespace lockstep::collective {

std::string MeshGroupPlan::name() const {
    return (isColumn ? "batch" : "model") + std::to_string(index);
}

std::vector<MeshGroupPlan> meshGroups(const MeshGrid& grid) {
    std::vector<MeshGroupPlan> groups;
    for (int column = 0; column < grid.members; ++column) {
        groups.push_back({{}, true, column});
        for (int row = 0; row < grid.rows; ++row)
            groups.back().replicas.push_back(grid.replica(row, column));
    }
    for (int row = 0; row < grid.rows; ++row) {
        groups.push_back({{}, false, row});
        for (int column = 0; column < grid.members; ++column)
            groups.back().replicas.push_back(grid.replica(row, column));
    }
    return groups;
}

Topology topologyOf(const Topology& job, const MeshGroupPlan& group) {
    Topology topology;
    topology.thisProcess = -1;
    topology.replicaNames = group.replicas;
    for (const int replica : group.replicas) {
        const int process = job.processOf(replica);
        if (!topology.processNames.empty() && topology.processNames.back() == process) {
            ++topology.processes.back().replicas;
            continue;
        }
        if (process == job.thisProcess)
            topology.thisProcess = static_cast<int>(topology.processes.size());
        topology.processNames.push_back(process);
        topology.processes.push_back({job.processes[static_cast<std::size_t>(process)].host, 1});
    }
    return topology;
}

}  // namespace lockstep::collective
