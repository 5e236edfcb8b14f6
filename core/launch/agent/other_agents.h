// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/config/job/job_spec.h"
#include "core/coordination/state/process_key.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::launch {

/// The id under which the agent of another host is a member of the coordinator: that of its first
/// process; of evaluators alone: the number of workers.
[[nodiscard]] std::uint32_t memberIdOf(const wire::OtherAgent& agent, std::uint32_t workers);

/// The evaluators of a job, which are all on one host.
[[nodiscard]] std::vector<coordination::ProcessKey> evaluatorsOf(const config::JobSpec& job);

/// The processes of the job that an agent starts.
[[nodiscard]] std::vector<coordination::ProcessKey> processesOf(const wire::OtherAgent& agent,
                                                                const config::JobSpec& job);
[[nodiscard]] std::vector<coordination::ProcessKey> processesOf(const wire::AgentConfig& agent,
                                                                const config::JobSpec& job);

/// Which processes of the job are started by other agents than the one of `config`, and by which.
/// Where a scheduler starts them, each has an agent of its own.
[[nodiscard]] std::map<coordination::ProcessKey, std::uint32_t> agentsElsewhere(
    const wire::AgentConfig& config, const config::JobSpec& job);

/// How many evaluators come, whoever starts them.
[[nodiscard]] std::uint32_t evaluatorsExpected(const wire::AgentConfig& config,
                                               const config::JobSpec& job);

/// By which the agent of these processes finds the memory that a former one has held for them.
/// `runDir`: as process 0's host has it, with that host's name where it is another one.
[[nodiscard]] std::string keeperName(const std::string& runDir,
                                     const std::vector<coordination::ProcessKey>& processes);
/// For so long that memory waits for an agent: as a launcher does that looks for a spare, twice.
[[nodiscard]] std::chrono::seconds keeperPatience(const config::JobSpec& job);

}  // namespace lockstep::launch
