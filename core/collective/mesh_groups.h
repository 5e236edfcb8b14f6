// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/collective/topology.h"

namespace lockstep::collective {

/// The replicas of a job as a table: each row shares a network's tensors and sees the same samples,
/// each column holds the same part of the tensors and shares the batch. As Keras' meshes: replica
/// row * members + column.
struct MeshGrid {
    int rows = 1;     ///< Of the batch.
    int members = 1;  ///< Of the model.

    [[nodiscard]] int replicaCount() const { return rows * members; }
    [[nodiscard]] int rowOf(int replica) const { return replica / members; }
    [[nodiscard]] int columnOf(int replica) const { return replica % members; }
    [[nodiscard]] int replica(int row, int column) const { return row * members + column; }
};

/// A row or a column of the grid.
struct MeshGroupPlan {
    std::vector<int> replicas;  ///< Of the job, in the group's order.
    bool isColumn = true;
    int index = 0;

    /// "batch0", "model3".
    [[nodiscard]] std::string name() const;
};

/// Columns, then rows: the order in which every process joins those that it is of. As all take the
/// same one, nobody waits for somebody who waits for him.
[[nodiscard]] std::vector<MeshGroupPlan> meshGroups(const MeshGrid& grid);

/// The processes that hold replicas of the group, as a job of their own. thisProcess is -1 where
/// this one holds none.
[[nodiscard]] Topology topologyOf(const Topology& job, const MeshGroupPlan& group);

}  // namespace lockstep::collective
