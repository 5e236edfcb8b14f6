// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/other_agents.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/launch/agent/kept_keeper.h"

namespace lockstep::launch {

using coordination::ProcessKey;

namespace {

template <typename Agent>
std::vector<ProcessKey> startedBy(const Agent& agent, const config::JobSpec& job) {
    std::vector<ProcessKey> processes;
    for (const std::uint32_t id : agent.process_ids())
        processes.push_back({wire::ROLE_WORKER, id});
    if (agent.start_evaluator())
        for (const ProcessKey& evaluator : evaluatorsOf(job))
            processes.push_back(evaluator);
    return processes;
}

}  // namespace

std::vector<ProcessKey> evaluatorsOf(const config::JobSpec& job) {
    std::vector<ProcessKey> evaluators;
    for (int id = 0; id < job.evaluator.processes; ++id)
        evaluators.push_back({wire::ROLE_EVALUATOR, static_cast<std::uint32_t>(id)});
    return evaluators;
}

std::vector<ProcessKey> processesOf(const wire::OtherAgent& agent, const config::JobSpec& job) {
    return startedBy(agent, job);
}

std::vector<ProcessKey> processesOf(const wire::AgentConfig& agent, const config::JobSpec& job) {
    return startedBy(agent, job);
}

std::uint32_t memberIdOf(const wire::OtherAgent& agent, std::uint32_t workers) {
    return agent.process_ids().empty() ? workers : agent.process_ids(0);
}

std::map<ProcessKey, std::uint32_t> agentsElsewhere(const wire::AgentConfig& config,
                                                    const config::JobSpec& job) {
    const auto workers = static_cast<std::uint32_t>(job.cluster.numProcesses);
    std::map<ProcessKey, std::uint32_t> agents;
    for (const wire::OtherAgent& other : config.other_agents()) {
        const std::uint32_t agent = memberIdOf(other, workers);
        for (const ProcessKey& process : processesOf(other, job))
            agents[process] = agent;
    }
    if (config.ticket_file().empty()) return agents;
    for (std::uint32_t id = 0; id < workers; ++id)
        if (std::ranges::count(config.process_ids(), id) == 0) agents[{wire::ROLE_WORKER, id}] = id;
    if (config.awaits_evaluator())
        for (const ProcessKey& evaluator : evaluatorsOf(job))
            agents[evaluator] = workers;
    return agents;
}

std::uint32_t evaluatorsExpected(const wire::AgentConfig& config, const config::JobSpec& job) {
    const bool any = config.start_evaluator() || config.awaits_evaluator() ||
                     std::ranges::any_of(config.other_agents(), &wire::OtherAgent::start_evaluator);
    return any ? static_cast<std::uint32_t>(job.evaluator.processes) : 0;
}

std::string keeperName(const std::string& runDir, const std::vector<ProcessKey>& processes) {
    std::string name = runDir;
    for (const ProcessKey& process : processes)
        name += fmt::format("\n{}/{}", static_cast<int>(process.role), process.id);
    return name;
}

std::chrono::seconds keeperPatience(const config::JobSpec& job) {
    constexpr std::chrono::seconds kAttempts{
        300};  // of a launcher, and what a lost start has to end
    if (job.launch.spares.empty()) return kKeeperPatience;
    const std::chrono::duration<double> spares(2 * job.launch.spareAfterSeconds);
    return std::chrono::ceil<std::chrono::seconds>(spares) + kAttempts;
}

}  // namespace lockstep::launch
