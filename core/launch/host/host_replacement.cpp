// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/host_replacement.h"

#include <algorithm>
#include <map>

#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/config/lint/ssh_destination.h"

namespace lockstep::launch {

namespace {

/// As launch.hosts has them: one a process.
std::vector<std::string> hostsOf(const std::vector<HostPlan>& plans) {
    std::map<std::uint32_t, std::string> hosts;
    for (const HostPlan& plan : plans)
        for (const std::uint32_t id : plan.processes)
            hosts[id] = plan.host;
    std::vector<std::string> names;
    for (const auto& [id, host] : hosts)
        names.push_back(host);
    return names;
}

}  // namespace

std::vector<SpareHost> sparesOf(const config::JobSpec& job) {
    std::vector<SpareHost> spares;
    for (const std::string& spare : job.launch.spares) {
        const auto destination = config::parseSshDestination(spare);
        spares.push_back({spare, destination ? destination->host : spare});
    }
    return spares;
}

Result<wire::HostReplacement> replaceHost(RemoteOrder& order, std::size_t host, std::size_t spare) {
    auto document = TRY(config::JobDocument::parse(order.config.job_toml(), "job.toml"));
    auto job = TRY(document.checked());
    HostPlan& plan = order.plan[host];
    const HostPlan lost = plan;
    const SpareHost fresh = order.spares[spare];
    auto& addresses = job.cluster.jobAddresses;
    auto& hosts = job.launch.hosts;
    // An address has no room for how the spare is logged in to.
    if (hosts.empty() && fresh.host != fresh.address) hosts = hostsOf(order.plan);
    wire::HostReplacement replacement;
    for (const std::uint32_t id : lost.processes) {
        if (id < addresses.size()) addresses[id].host = fresh.address;
        if (id < hosts.size()) hosts[id] = fresh.host;
        replacement.add_process_ids(id);
    }
    auto& evaluator = job.cluster.evaluatorAddress;
    if (lost.evaluator && evaluator && evaluator->host == lost.address) {
        evaluator->host = fresh.address;
        const auto count = static_cast<std::size_t>(job.cluster.numProcesses);
        if (hosts.size() == count && lost.processes.empty() && fresh.host != fresh.address)
            hosts.push_back(fresh.host);
        else if (hosts.size() > count)
            hosts[count] = fresh.host;
    }
    plan.host = fresh.host;
    if (!lost.address.empty()) plan.address = fresh.address;
    order.spares.erase(order.spares.begin() + static_cast<std::ptrdiff_t>(spare));
    order.spares.push_back({lost.host, lost.address.empty() ? lost.host : lost.address});
    job.launch.spares.clear();
    for (const SpareHost& one : order.spares)
        job.launch.spares.push_back(one.host);
    order.config.set_job_toml(config::resolvedToml(job));
    replacement.set_host(lost.host);
    replacement.set_spare(fresh.host);
    replacement.set_evaluator(lost.evaluator);
    return replacement;
}

int gpusNeeded(const HostPlan& plan, const config::JobSpec& job, bool onGpus) {
    const bool counts = job.cluster.device == config::DeviceKind::Gpu ||
                        (job.cluster.device == config::DeviceKind::Auto && onGpus);
    return counts ? static_cast<int>(plan.processes.size()) * job.cluster.localReplicas() : 0;
}

}  // namespace lockstep::launch
