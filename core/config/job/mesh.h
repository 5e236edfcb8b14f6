// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/model/graph.h"
#include "core/model/mesh/mesh_layout.h"

namespace lockstep::config {

/// Whether processes share the tensors of one network: distribution.mesh has more than one column.
[[nodiscard]] bool isModelParallel(const JobSpec& spec);
/// Whether those who hold parts of a network write their parts of its checkpoints themselves:
/// checkpoint.sharded, by default wherever tensors are shared.
[[nodiscard]] bool writesShards(const JobSpec& spec);
/// Among how many the samples of a step are shared: the replicas, or the rows of the mesh.
[[nodiscard]] int batchReplicas(const JobSpec& spec);

/// How the network lies on a row of the mesh. BadInput as model::layOut(), naming the key.
[[nodiscard]] Result<model::MeshLayout> meshLayoutOf(const JobSpec& spec,
                                                     const model::Graph& graph);

}  // namespace lockstep::config
