// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/environment.h"
#include "core/base/result.h"
#include "core/config/cluster/cluster_facts.h"
#include "core/config/document/job_file.h"

namespace lockstep::config {

/// "job_addresses from KERAS_DISTRIBUTION_JOB_ADDRESSES"; "num_processes 1 by default".
[[nodiscard]] std::string describe(std::string_view value, const Origin& origin);

/// What the job file says of the cluster; keys that it does not write are absent. One address with
/// `num_processes` beside it is the coordinator's. For a document without errors.
[[nodiscard]] ClusterFacts factsOf(const JobDocument& document);

/// One source over the other, value by value: what `stronger` says holds.
[[nodiscard]] ClusterFacts overrule(ClusterFacts weaker, const ClusterFacts& stronger);

/// The one precedence, everywhere: argument, then job file, then environment, then detection.
/// `method` as for detectCluster. Checks what belongs together and fills in what follows (the
/// count from the addresses, the coordinator from address 0, one process when nobody says
/// anything). On success numProcesses, processId, role and coordinatorAddress are there.
/// A job file's addresses whose first has port 0 are left open: where environment or detection say
/// an address, only their number counts. The evaluator's process id is 0.
/// BadInput is one sentence with the values, their origins and the way out: a count that differs
/// from the addresses or from the number that the launcher started, an id out of range, a missing
/// port. A launcher's malformed variables are ignored where stronger sources say everything and
/// no method is named.
[[nodiscard]] Result<ClusterFacts> resolveCluster(const ClusterFacts& arguments,
                                                  const ClusterFacts& jobFile,
                                                  const Environment& environment,
                                                  std::string_view method = {});

/// One line for every value that is there: "process_id 3 from SLURM_PROCID".
[[nodiscard]] std::vector<std::string> explain(const ClusterFacts& facts);

}  // namespace lockstep::config
