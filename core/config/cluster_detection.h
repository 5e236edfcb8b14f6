// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/base/environment.h"
#include "core/base/result.h"
#include "core/config/cluster_facts.h"

namespace lockstep::config {

/// The launchers that are recognised by what they put into the environment, in the order in which
/// they are tried: "agent", "ompi", "slurm", "pmi", "torchrun", "k8s".
[[nodiscard]] const std::vector<std::string_view>& detectionMethods();

/// What the launcher that started this process says. Empty `method`: the first that is present, or
/// nothing. A method by name ("mpi4py" is another name of "pmi"): BadInput when it is unknown
/// (did-you-mean), refused ("tpu"), or its variables are absent or malformed, naming them.
/// "deactivate": nothing.
[[nodiscard]] Result<std::optional<ClusterFacts>> detectCluster(const Environment& environment,
                                                                std::string_view method = {});

/// What variables that describe a cluster by intent say: KERAS_DISTRIBUTION_*, TF_CONFIG, JAX_*.
/// BadInput names the variable, its value and the way out; also when two of them disagree.
[[nodiscard]] Result<ClusterFacts> readEnvironment(const Environment& environment);

}  // namespace lockstep::config
