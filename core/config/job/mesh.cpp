// SPDX-License-Identifier: Apache-2.0
#include "core/config/job/mesh.h"

#include <algorithm>

namespace lockstep::config {

bool isModelParallel(const JobSpec& spec) {
    return spec.distribution.model > 1;
}

bool writesShards(const JobSpec& spec) {
    return spec.checkpoint.sharded.value_or(isModelParallel(spec));
}

int batchReplicas(const JobSpec& spec) {
    const int replicas = spec.cluster.replicaCount();
    return isModelParallel(spec) ? std::max(replicas / spec.distribution.model, 1) : replicas;
}

Result<model::MeshLayout> meshLayoutOf(const JobSpec& spec, const model::Graph& graph) {
    const DistributionSpec& distribution = spec.distribution;
    auto layout = model::layOut(
        graph, distribution.isMegatron ? model::megatronRules(graph) : distribution.layout,
        distribution.model);
    if (!layout) {
        Error error = std::move(layout).error();
        error.message = "distribution.layout: " + error.message;
        return fail(std::move(error));
    }
    return layout;
}

}  // namespace lockstep::config
