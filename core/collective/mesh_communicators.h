// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/collective/make_communicators.h"
#include "core/collective/mesh_groups.h"

namespace lockstep::collective {

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
