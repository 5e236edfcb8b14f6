// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/config/dialects/dialects.h"
#include "core/config/job/job_spec.h"

namespace lockstep::config {

/// Names and values, as a process's environment takes them: not quoted.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// What keras.distribution.initialize() reads.
[[nodiscard]] Variables kerasVariables(const ClusterSpec& cluster, int processId);

/// TF_CONFIG. Every process is a worker, process 0 among them: TensorFlow takes worker 0 for the
/// chief then.
[[nodiscard]] Variables tfConfigVariables(const ClusterSpec& cluster, const DialectTask& task);

/// What torch.distributed needs. What is counted by host is there only where `hosts` names every
/// process' host; equal names are one host.
[[nodiscard]] Variables torchrunVariables(const ClusterSpec& cluster,
                                          const std::vector<std::string>& hosts, int rank);

/// The hosts in order of their first process, each with its number of processes.
[[nodiscard]] std::vector<std::pair<std::string, int>> slotsByHost(
    const std::vector<std::string>& hosts);

}  // namespace lockstep::config
