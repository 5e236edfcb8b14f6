// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/config/cluster/cluster_facts.h"
#include "core/config/dialects/dialects.h"
#include "core/config/document/job_file.h"
#include "core/config/job/finding.h"

namespace lockstep::config {

/// The longest text that is read.
inline constexpr std::size_t kPasteLimitBytes = std::size_t{1} << 20;

/// What a text of another program says of a cluster.
struct DialectReading {
    ClusterFacts facts;
    /// What it was understood as, then what was left out and why; one sentence each:
    /// "understood as TF_CONFIG: 3 workers and an evaluator; this is worker 1".
    std::vector<std::string> notes;
    /// What is doubtful in it; errors are the result's.
    std::vector<Finding> findings;
};

/// Reads what printDialect prints, and what users write by hand in that dialect: variables as
/// `KEY=value` lines in a shell's quotes, with `export` or without, or set in Python; for tf_config
/// the JSON alone, too; for jax the arguments of the call; for torchrun variables or the command
/// line; for hostfile `host slots=N`, `host:N` or hosts alone.
/// BadInput says what is wrong and where, or that the text is of another dialect.
[[nodiscard]] Result<DialectReading> readDialect(Dialect dialect, std::string_view text);

/// Recognises what was pasted: all of the above, variables of every launcher that detectCluster
/// knows, the arguments of keras.distribution.initialize, Slurm node lists, lists of host:port,
/// and the manifest of an indexed Kubernetes job. BadInput when it is none of them.
[[nodiscard]] Result<DialectReading> readAny(std::string_view text);

/// Writes what the facts say of the cluster into a job file, as patches of its text: addresses and
/// count, evaluator, devices, hosts, and launch.method where other hosts are named. What a process
/// says of its own place (id, role, devices) is not the job's and stays out. BadInput as
/// JobDocument::set; the document is then as it was.
[[nodiscard]] Result<void> applyFacts(JobDocument& document, const ClusterFacts& facts);

}  // namespace lockstep::config
