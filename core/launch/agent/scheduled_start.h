// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <variant>

#include "core/base/result.h"
#include "core/config/cluster/cluster_facts.h"
#include "core/config/job/job_spec.h"
#include "core/launch/agent/scheduled_member.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::launch {

/// What a process that a scheduler (or the user, by hand) has started is to do.
struct ScheduledStart {
    config::JobSpec job;
    config::ClusterFacts cluster;  ///< Effective: count, id, role, coordinator are there.
    std::filesystem::path jobFolder;
    std::filesystem::path workerProgram;
    std::filesystem::path runsFolder = "runs";
};

/// Process 0 hosts the run (its agent's configuration), all others join it.
using ScheduledRole = std::variant<wire::AgentConfig, ScheduledMember>;

/// Decides the places that all processes of one start must agree on without a word: the run folder
/// (the job's, else runs/<name>-<start id>) and the ticket in it. Where nothing tells one start
/// from another, process 0 takes a fresh folder, and the ticket is named after its address.
/// Unavailable when a host's name is not known.
[[nodiscard]] Result<ScheduledRole> planScheduledStart(const ScheduledStart& start);

/// Tells the others that process 0 could not start, and that it ends with this status, so that they
/// need not wait for it. Blocks for two seconds where there are others.
void refuseTicket(const wire::AgentConfig& config, const Error& error, int exitStatus);

}  // namespace lockstep::launch
