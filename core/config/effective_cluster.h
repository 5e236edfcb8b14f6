// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/environment.h"
#include "core/base/result.h"
#include "core/config/cluster_facts.h"
#include "core/config/job_file.h"

namespace lockstep::config {

/// "job_addresses from KERAS_DISTRIBUTION_JOB_ADDRESSES".
[[nodiscard]] std::string describe(std::string_view value, const Origin& origin);

/// What the job file says of the cluster; keys that it does not write are absent.
[[nodiscard]] ClusterFacts factsOf(const JobDocument& document);

/// One source over the other, value by value: what `stronger` says holds.
[[nodiscard]] ClusterFacts overrule(ClusterFacts weaker, const ClusterFacts& stronger);

/// The one precedence, everywhere: argument, then job file, then environment, then detection.
/// `method` as for detectCluster. Checks what belongs together and fills in what follows (the
/// count from the addresses, the coordinator from address 0, one process when nobody says
/// anything). On success numProcesses, processId, role and coordinatorAddress are there.
/// BadInput is one sentence with the values, their origins and the way out: a count that differs
/// from the addresses, an id out of range, a missing port.
[[nodiscard]] Result<ClusterFacts> resolveCluster(const ClusterFacts& arguments,
                                                  const ClusterFacts& jobFile,
                                                  const Environment& environment,
                                                  std::string_view method = {});

/// One line for every value that is there: "process_id 3 from SLURM_PROCID".
[[nodiscard]] std::vector<std::string> explain(const ClusterFacts& facts);

}  // namespace lockstep::config
