// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::launch {

/// What one host of a launch does.
struct HostPlan {
    std::string host;                      ///< As ssh knows it.
    std::string address;                   ///< By which the job names the host; empty: it does not.
    std::vector<std::uint32_t> processes;  ///< Ids of its workers, ascending.
    bool evaluator = false;

    /// For sentences: the process by which a failure of this host is named.
    [[nodiscard]] std::uint32_t firstProcess() const {
        return processes.empty() ? 0 : processes.front();
    }
};

/// Which processes run on which host: each host once, that of process 0, which hosts the
/// coordinator, first. The hosts are launch.hosts, one a process, else those of the addresses; the
/// evaluator is on the host that its address names, reached as launch.hosts says behind those of
/// the processes, else on process 0's. BadInput when a process has no host.
[[nodiscard]] Result<std::vector<HostPlan>> planHosts(const config::JobSpec& job);

/// The host's processes as another agent's.
[[nodiscard]] wire::OtherAgent otherAgentOf(const HostPlan& plan);

}  // namespace lockstep::launch
