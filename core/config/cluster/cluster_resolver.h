// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/config/cluster/cluster_facts.h"

namespace lockstep::config {

/// Checks what all sources together say, and fills in what follows. `launcher` is what the
/// launcher alone says: it started as many processes as it says, whoever overrules it.
/// BadInput as resolveCluster documents it.
[[nodiscard]] Result<ClusterFacts> completeCluster(ClusterFacts facts,
                                                   const ClusterFacts& launcher);

}  // namespace lockstep::config
