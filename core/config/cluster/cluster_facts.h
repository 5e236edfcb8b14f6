// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/config/job/job_spec.h"

namespace lockstep::config {

enum class ProcessRole : std::uint8_t { Worker, Evaluator };

/// Who said it, weakest first: a later one overrules an earlier one.
enum class OriginKind : std::uint8_t { Default, Detection, Environment, JobFile, Argument };

/// Where a value comes from: "TF_CONFIG", "SLURM_NTASKS", "job.toml:14", "--process-id".
struct Origin {
    OriginKind kind = OriginKind::Default;
    std::string name;

    [[nodiscard]] bool operator==(const Origin&) const = default;
};

template <typename T>
struct Sourced {
    T value{};
    Origin origin;

    [[nodiscard]] bool operator==(const Sourced&) const = default;
};

template <typename T>
using Said = std::optional<Sourced<T>>;

/// What one source, or all of them together, say of a cluster and of this process's place in it.
/// Absent: it does not say.
struct ClusterFacts {
    Said<std::vector<Address>> jobAddresses;  ///< The index is the process id.
    Said<Address> coordinatorAddress;         ///< Process 0's, where the others' are not known.
    Said<std::string> coordinatorBindAddress;
    Said<int> numProcesses;
    Said<int> processId;
    Said<ProcessRole> role;
    Said<Address> evaluatorAddress;
    Said<bool> evaluator;  ///< Whether the cluster has one at all.
    /// Whoever started the processes has started the evaluator, too, as a process of its own.
    Said<bool> evaluatorStarted;
    Said<int> devicesPerProcess;
    Said<int> localProcessId;  ///< Among the processes of this host, from 0.
    /// The devices that this process may use. Launchers number accelerators by it: a process that
    /// computes on the CPU does not ask.
    Said<std::vector<int>> localDeviceIds;
    Said<int> partitionIndex;
    Said<std::vector<std::string>> hosts;  ///< Of the processes, one each, without ports.
    /// What all processes of one start have in common and no other start has, where a scheduler
    /// gives it: "slurm-123456.0-0" (job id, step, restart count). Fit for a file name.
    Said<std::string> startId;
};

}  // namespace lockstep::config
