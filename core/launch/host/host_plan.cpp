// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/host_plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace lockstep::launch {

namespace {

HostPlan& planOf(std::vector<HostPlan>& plans, const std::string& host) {
    const auto found = std::ranges::find(plans, host, &HostPlan::host);
    if (found != plans.end()) return *found;
    plans.push_back({host, {}, {}, false});
    return plans.back();
}

/// The host that the evaluator's address names: as `destination` says, else as the workers on it
/// are reached.
HostPlan& evaluatorsPlan(std::vector<HostPlan>& plans, const config::Address& address,
                         const std::string& destination) {
    if (!destination.empty()) {
        HostPlan& plan = planOf(plans, destination);
        if (plan.address.empty()) plan.address = address.host;
        return plan;
    }
    const auto found = std::ranges::find(plans, address.host, &HostPlan::address);
    if (found != plans.end()) return *found;
    HostPlan& plan = planOf(plans, address.host);
    plan.address = address.host;
    return plan;
}

}  // namespace

Result<std::vector<HostPlan>> planHosts(const config::JobSpec& job) {
    const auto& addresses = job.cluster.jobAddresses;
    const auto& hosts = job.launch.hosts;
    const auto count = static_cast<std::size_t>(job.cluster.numProcesses);
    std::vector<HostPlan> plans;
    for (std::size_t id = 0; id < count; ++id) {
        const bool addressed = id < addresses.size();
        if (id >= hosts.size() && !(hosts.empty() && addressed))
            return fail(ErrorCode::BadInput, fmt::format("process {} has no host", id),
                        "Name one ssh destination per process in launch.hosts, or an address per "
                        "process in cluster.job_addresses.");
        HostPlan& plan = planOf(plans, hosts.empty() ? addresses[id].host : hosts[id]);
        if (addressed && plan.address.empty()) plan.address = addresses[id].host;
        plan.processes.push_back(static_cast<std::uint32_t>(id));
    }
    if (job.cluster.evaluator) {
        HostPlan& plan = job.cluster.evaluatorAddress
                             ? evaluatorsPlan(plans, *job.cluster.evaluatorAddress,
                                              hosts.size() > count ? hosts[count] : "")
                             : plans.front();
        plan.evaluator = true;
    }
    return plans;
}

wire::OtherAgent otherAgentOf(const HostPlan& plan) {
    wire::OtherAgent other;
    for (const std::uint32_t id : plan.processes)
        other.add_process_ids(id);
    other.set_start_evaluator(plan.evaluator);
    return other;
}

}  // namespace lockstep::launch
