// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "core/base/environment.h"
#include "core/base/result.h"
#include "core/config/cluster/cluster_facts.h"

namespace lockstep::config {

/// A launcher, and how it is recognised by the environment that it gives its processes.
struct Launcher {
    std::string_view name;
    std::vector<std::string_view> variables;  ///< Present when all of them are set.
    Result<ClusterFacts> (*read)(const Environment&);
    std::string_view remedy;  ///< How a process gets these variables.

    /// The variables that are not set.
    [[nodiscard]] std::vector<std::string> missing(const Environment& environment) const;
};

/// In the order in which they are tried.
[[nodiscard]] const std::vector<Launcher>& launchers();

// What each says, once its variables are set. BadInput for a value that is malformed.
[[nodiscard]] Result<ClusterFacts> readAgentVariables(const Environment& environment);
[[nodiscard]] Result<ClusterFacts> readOpenMpiVariables(const Environment& environment);
[[nodiscard]] Result<ClusterFacts> readSlurmVariables(const Environment& environment);
[[nodiscard]] Result<ClusterFacts> readPmiVariables(const Environment& environment);
[[nodiscard]] Result<ClusterFacts> readTorchrunVariables(const Environment& environment);
[[nodiscard]] Result<ClusterFacts> readKubernetesVariables(const Environment& environment);

}  // namespace lockstep::config
