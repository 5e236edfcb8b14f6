// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/other_agents.h"

#include <algorithm>

namespace lockstep::launch {

using coordination::ProcessKey;

namespace {

template <typename Agent>
std::vector<ProcessKey> startedBy(const Agent& agent) {
    std::vector<ProcessKey> processes;
    for (const std::uint32_t id : agent.process_ids())
        processes.push_back({wire::ROLE_WORKER, id});
    if (agent.start_evaluator()) processes.push_back({wire::ROLE_EVALUATOR, 0});
    return processes;
}

}  // namespace

std::vector<ProcessKey> processesOf(const wire::OtherAgent& agent) {
    return startedBy(agent);
}

std::vector<ProcessKey> processesOf(const wire::AgentConfig& agent) {
    return startedBy(agent);
}

std::uint32_t memberIdOf(const wire::OtherAgent& agent, std::uint32_t workers) {
    return agent.process_ids().empty() ? workers : agent.process_ids(0);
}

std::map<ProcessKey, std::uint32_t> agentsElsewhere(const wire::AgentConfig& config,
                                                    std::uint32_t workers) {
    std::map<ProcessKey, std::uint32_t> agents;
    for (const wire::OtherAgent& other : config.other_agents()) {
        const std::uint32_t agent = memberIdOf(other, workers);
        for (const ProcessKey& process : processesOf(other))
            agents[process] = agent;
    }
    if (config.ticket_file().empty()) return agents;
    for (std::uint32_t id = 0; id < workers; ++id)
        if (std::ranges::count(config.process_ids(), id) == 0) agents[{wire::ROLE_WORKER, id}] = id;
    if (config.awaits_evaluator()) agents[{wire::ROLE_EVALUATOR, 0}] = workers;
    return agents;
}

bool evaluatorIsExpected(const wire::AgentConfig& config) {
    return config.start_evaluator() || config.awaits_evaluator() ||
           std::ranges::any_of(config.other_agents(), &wire::OtherAgent::start_evaluator);
}

}  // namespace lockstep::launch
