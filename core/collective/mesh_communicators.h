// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/collective/make_communicators.h"

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

/// One replica's connections.
struct MeshConnection {
    std::unique_ptr<Communicator> batch;  ///< With its column; replica() is its row.
    std::unique_ptr<Communicator> model;  ///< With its row; replica() is its column.
};

/// As makeCommunicators(), for the groups of a mesh. `options` are of the whole job, its layout is
/// that of a part; `modelWords`: words that a row's members tell each other at a time. BadInput
/// where the hosts part the columns at different rows.
[[nodiscard]] Result<std::vector<MeshConnection>> makeMeshCommunicators(
    const CommunicatorOptions& options, const MeshGrid& grid, std::size_t modelWords);

}  // namespace lockstep::collective
