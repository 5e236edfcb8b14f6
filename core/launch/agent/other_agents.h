// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "core/coordination/state/process_key.h"
#include "core/wire/messages/launch.pb.h"

namespace lockstep::launch {

/// The id under which the agent of another host is a member of the coordinator: that of its first
/// process; of the evaluator alone: the number of workers.
[[nodiscard]] std::uint32_t memberIdOf(const wire::OtherAgent& agent, std::uint32_t workers);

/// The processes that an agent starts.
[[nodiscard]] std::vector<coordination::ProcessKey> processesOf(const wire::OtherAgent& agent);
[[nodiscard]] std::vector<coordination::ProcessKey> processesOf(const wire::AgentConfig& agent);

/// Which processes of the job are started by other agents than the one of `config`, and by which.
/// Where a scheduler starts them, each has an agent of its own.
[[nodiscard]] std::map<coordination::ProcessKey, std::uint32_t> agentsElsewhere(
    const wire::AgentConfig& config, std::uint32_t workers);

/// Whether the job has an evaluator, whoever starts it.
[[nodiscard]] bool evaluatorIsExpected(const wire::AgentConfig& config);

}  // namespace lockstep::launch
