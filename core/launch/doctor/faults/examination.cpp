// SPDX-License-Identifier: Apache-2.0
#include "core/launch/doctor/faults/examination.h"

#include <algorithm>

#include "core/base/ids.h"
#include "core/config/job/cluster_spec.h"
#include "core/launch/host/host_plan.h"
#include "core/launch/host/host_replacement.h"

namespace lockstep::launch {

namespace {

/// Where process `id` is reached; without addresses, its host at a port chosen at launch.
config::Address addressOf(const config::JobSpec& job, std::size_t id, const std::string& host) {
    const auto& addresses = job.cluster.jobAddresses;
    return id < addresses.size() ? addresses[id] : config::Address{host, 0};
}

void addPorts(ExaminedHost& host, int process, const config::Address& address) {
    if (process == 0)
        host.ports.push_back({PortPurpose::Coordinator, process, address, randomHex(16), {}});
    else if (address.port != 0)
        host.ports.push_back({PortPurpose::Process, process, address, randomHex(16), {}});
    const bool first = std::ranges::none_of(
        host.ports, [](const PortTest& port) { return port.purpose == PortPurpose::Data; });
    if (first)
        host.ports.push_back({PortPurpose::Data, process, {address.host, 0}, randomHex(16), {}});
}

/// Where the plan fails, lint has said so: the job then is examined as if it were started here.
std::vector<HostPlan> plansOf(const config::JobSpec& job) {
    if (job.launch.method == config::LaunchMethod::Ssh)
        if (auto plans = planHosts(job)) return std::move(*plans);
    HostPlan here{hostName(), {}, {}, job.cluster.evaluator};
    const auto count = static_cast<std::uint32_t>(std::max(job.cluster.numProcesses, 1));
    for (std::uint32_t id = 0; id < count; ++id)
        here.processes.push_back(id);
    const std::vector<std::string> addresses = config::processHosts(job);
    here.address = addresses.empty() ? "127.0.0.1" : addresses.front();
    return {here};
}

/// What may come to a spare is at most what the fullest host has.
void addSpares(const config::JobSpec& job, std::vector<ExaminedHost>& hosts) {
    if (job.launch.method != config::LaunchMethod::Ssh || hosts.empty()) return;
    const std::vector<int> most = std::ranges::max_element(hosts, {}, [](const ExaminedHost& host) {
                                      return host.processes.size();
                                  })->processes;
    for (const SpareHost& spare : sparesOf(job)) {
        ExaminedHost& host = hosts.emplace_back();
        host.name = spare.host;
        host.address = spare.address;
        host.processes = most;
        host.isSpare = true;
        host.ports.push_back({PortPurpose::Data,
                              most.empty() ? 0 : most.front(),
                              {spare.address, 0},
                              randomHex(16),
                              {}});
    }
}

}  // namespace

bool ExaminedHost::settled() const {
    return state == HostState::Failed || state == HostState::Done ||
           (state == HostState::Examining && std::ranges::all_of(ports, [](const PortTest& port) {
                return port.opened.has_value();
            }));
}

std::vector<ExaminedHost> plannedHosts(const config::JobSpec& job) {
    const bool reachesPorts = job.launch.method != config::LaunchMethod::Slurm;
    std::vector<ExaminedHost> hosts;
    for (const HostPlan& plan : plansOf(job)) {
        ExaminedHost& host = hosts.emplace_back();
        host.name = plan.host;
        host.address = plan.address.empty() ? plan.host : plan.address;
        host.evaluator = plan.evaluator;
        for (const std::uint32_t id : plan.processes) {
            host.processes.push_back(static_cast<int>(id));
            if (reachesPorts)
                addPorts(host, static_cast<int>(id), addressOf(job, id, host.address));
        }
    }
    addSpares(job, hosts);
    return hosts;
}

std::vector<std::string> hostNames(const config::JobSpec& job) {
    std::vector<std::string> names;
    const auto add = [&names](const std::string& name) {
        if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const config::Address& address : job.cluster.jobAddresses)
        add(address.host);
    if (job.cluster.jobAddresses.empty())
        for (const std::string& host : config::processHosts(job))
            add(host);
    if (job.cluster.evaluatorAddress) add(job.cluster.evaluatorAddress->host);
    if (job.launch.method == config::LaunchMethod::Ssh)
        for (const SpareHost& spare : sparesOf(job))
            add(spare.address);
    return names;
}

}  // namespace lockstep::launch
