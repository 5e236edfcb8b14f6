// SPDX-License-Identifier: Apache-2.0
#include "core/collective/mesh_communicators.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/base/try.h"

namespace lockstep::collective {

namespace {

/// Sums are made host by host, so that the columns of a mesh sum alike only where their rows lie
/// alike: what is whole on all members would drift apart otherwise, and shares would differ.
Result<void> checkColumnsAreAlike(const Topology& job, const MeshGrid& grid) {
    const auto hostOf = [&](int row, int column) {
        const int process = job.processOf(grid.replica(row, column));
        return job.processes[static_cast<std::size_t>(process)].host;
    };
    for (int column = 1; column < grid.members; ++column)
        for (int row = 1; row < grid.rows; ++row)
            if ((hostOf(row, 0) == hostOf(row - 1, 0)) !=
                (hostOf(row, column) == hostOf(row - 1, column)))
                return fail(
                    ErrorCode::BadInput,
                    fmt::format("the hosts part the columns of the mesh ({} x {}) at different "
                                "rows: columns 0 and {} do at row {}",
                                grid.rows, grid.members, column, row),
                    "Give every host whole rows (a multiple of distribution.mesh.model of the "
                    "processes), or one member of each row.");
    return {};
}

/// What a row's members share besides their words is nothing: one number.
BufferLayout noParameters() {
    return {.parameters = 1, .buckets = {{0, 1}}, .moments = 0};
}

}  // namespace

Result<std::vector<MeshConnection>> makeMeshCommunicators(const CommunicatorOptions& options,
                                                          const MeshGrid& grid,
                                                          std::size_t modelWords) {
    const Topology& job = options.topology;
    TRY(job.check());
    LS_CHECK(grid.replicaCount() == job.replicaCount(), "the mesh has a place for every replica");
    TRY(checkColumnsAreAlike(job, grid));
    const int host = job.processes[static_cast<std::size_t>(job.thisProcess)].host;
    const std::vector<int> own = job.replicasOfProcess(job.thisProcess);
    std::vector<MeshConnection> connections(own.size());

    CommunicatorOptions each = options;
    each.backend = backendFor(job, options.transport);
    each.hostReplicas = static_cast<int>(job.replicasOfHost(host).size());
    for (const MeshGroupPlan& group : meshGroups(grid)) {
        each.topology = topologyOf(job, group);
        each.layout = group.isColumn ? options.layout : noParameters();
        each.gatherWords = group.isColumn ? options.gatherWords : modelWords;
        each.prefix = fmt::format("{}{}/", options.prefix, group.name());
        if (each.topology.thisProcess >= 0) {
            auto joined = TRY(makeCommunicators(each));
            for (auto& communicator : joined) {
                const int replica =
                    group.replicas[static_cast<std::size_t>(communicator->replica())];
                const auto place =
                    static_cast<std::size_t>(std::ranges::find(own, replica) - own.begin());
                auto& to = group.isColumn ? connections[place].batch : connections[place].model;
                to = std::move(communicator);
            }
        }
        each.segmentOffset += segmentBytes(each, host);
    }
    return connections;
}

}  // namespace lockstep::collective
