// SPDX-License-Identifier: Apache-2.0
#include "core/config/dialects/dialect_variables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/config/job/cluster_spec.h"
#include "core/text/json.h"

namespace lockstep::config {

Variables kerasVariables(const ClusterSpec& cluster, int processId) {
    return {{"KERAS_DISTRIBUTION_JOB_ADDRESSES", toString(cluster.jobAddresses)},
            {"KERAS_DISTRIBUTION_NUM_PROCESSES", std::to_string(cluster.numProcesses)},
            {"KERAS_DISTRIBUTION_PROCESS_ID", std::to_string(processId)}};
}

Variables tfConfigVariables(const ClusterSpec& cluster, const DialectTask& task) {
    text::Json workers;
    for (const Address& address : cluster.jobAddresses)
        workers.push(toString(address));
    // In the order in which everybody writes it, which is not that of the names.
    std::string roles = fmt::format(R"("worker":{})", workers.text());
    if (cluster.evaluatorAddress)
        roles += fmt::format(R"(,"evaluator":[{}])",
                             text::Json(toString(*cluster.evaluatorAddress)).text());
    return {{"TF_CONFIG", fmt::format(R"({{"cluster":{{{}}},"task":{{"type":"{}","index":{}}}}})",
                                      roles, task.evaluator ? "evaluator" : "worker",
                                      task.evaluator ? 0 : task.processId.value_or(0))}};
}

std::vector<std::pair<std::string, int>> slotsByHost(const std::vector<std::string>& hosts) {
    std::vector<std::pair<std::string, int>> slots;
    for (const std::string& host : hosts) {
        const auto known = std::find_if(slots.begin(), slots.end(),
                                        [&host](const auto& slot) { return slot.first == host; });
        if (known == slots.end())
            slots.emplace_back(host, 1);
        else
            ++known->second;
    }
    return slots;
}

Variables torchrunVariables(const ClusterSpec& cluster, const std::vector<std::string>& hosts,
                            int rank) {
    Variables variables = {{"MASTER_ADDR", cluster.jobAddresses.front().host},
                           {"MASTER_PORT", std::to_string(cluster.jobAddresses.front().port)},
                           {"WORLD_SIZE", std::to_string(cluster.numProcesses)},
                           {"RANK", std::to_string(rank)}};
    if (hosts.size() != static_cast<std::size_t>(cluster.numProcesses)) return variables;
    const auto slots = slotsByHost(hosts);
    const std::string& own = hosts[static_cast<std::size_t>(rank)];
    const auto group = std::find_if(slots.begin(), slots.end(),
                                    [&own](const auto& slot) { return slot.first == own; });
    const auto localRank = std::count(hosts.begin(), hosts.begin() + rank, own);
    variables.emplace_back("LOCAL_RANK", std::to_string(localRank));
    variables.emplace_back("LOCAL_WORLD_SIZE", std::to_string(group->second));
    variables.emplace_back("GROUP_RANK", std::to_string(group - slots.begin()));
    variables.emplace_back("GROUP_WORLD_SIZE", std::to_string(slots.size()));
    return variables;
}

}  // namespace lockstep::config
