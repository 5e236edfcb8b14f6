// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/environment.h"
#include "core/config/cluster/cluster_facts.h"
#include "core/config/document/job_file.h"
#include "core/config/job/finding.h"

namespace lockstep::config {

/// What an environment says of the cluster, before anything starts.
struct EnvironmentReport {
    /// Every value with its origin, as explain() gives them: of the whole cluster as
    /// resolveCluster() makes it, or of what could be read where that fails. Empty when the
    /// environment says nothing.
    std::vector<std::string> lines;
    /// `place` is "environment". A value that resolveCluster() refuses is an error.
    std::vector<Finding> findings;
};

/// Reads the environment, alone or under a job file, whose values overrule it. The advice about
/// the batch is for a job file's training.
[[nodiscard]] EnvironmentReport lintEnvironment(const Environment& environment,
                                                const JobDocument* job = nullptr);

/// The rules about addresses and hosts for facts of any source.
[[nodiscard]] std::vector<Finding> lintFacts(const ClusterFacts& facts);

/// The rules about variables that say less than was meant: nearly right names, names that JAX does
/// not read, deprecated ones, a part of what torchrun or srun sets, chief and worker in TF_CONFIG.
[[nodiscard]] std::vector<Finding> lintVariables(const Environment& environment);

/// ", did you mean TF_CONFIG?" for a name near one that describes a cluster, else empty.
[[nodiscard]] std::string meantVariable(std::string_view name);

}  // namespace lockstep::config
