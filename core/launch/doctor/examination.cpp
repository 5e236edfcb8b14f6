// SPDX-License-Identifier: Apache-2.0
#include "core/launch/doctor/examination.h"

#include <algorithm>

#include "core/base/ids.h"
#include "core/config/cluster_spec.h"

namespace lockstep::launch {

namespace {

ExaminedHost& hostNamed(std::vector<ExaminedHost>& hosts, const std::string& name,
                        const std::string& address) {
    const auto known = std::ranges::find(hosts, name, &ExaminedHost::name);
    if (known != hosts.end()) return *known;
    ExaminedHost& fresh = hosts.emplace_back();
    fresh.name = name;
    fresh.address = address;
    return fresh;
}

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

std::string evaluatorHost(const config::JobSpec& job, const std::vector<ExaminedHost>& hosts) {
    if (job.cluster.evaluatorAddress) return job.cluster.evaluatorAddress->host;
    return hosts.empty() ? std::string() : hosts.front().name;
}

}  // namespace

bool ExaminedHost::settled() const {
    return state == HostState::Failed || state == HostState::Done ||
           (state == HostState::Examining && std::ranges::all_of(ports, [](const PortTest& port) {
                return port.opened.has_value();
            }));
}

std::vector<ExaminedHost> plannedHosts(const config::JobSpec& job) {
    std::vector<ExaminedHost> hosts;
    const bool remote = job.launch.method == config::LaunchMethod::Ssh;
    const std::vector<std::string> addresses = config::processHosts(job);
    const auto count = static_cast<std::size_t>(std::max(job.cluster.numProcesses, 1));
    for (std::size_t id = 0; id < count; ++id) {
        const std::string address = id < addresses.size() ? addresses[id] : "127.0.0.1";
        const bool named = remote && id < job.launch.hosts.size();
        const std::string name = !remote ? hostName() : named ? job.launch.hosts[id] : address;
        ExaminedHost& host = hostNamed(hosts, name, address);
        host.processes.push_back(static_cast<int>(id));
        if (job.launch.method != config::LaunchMethod::Slurm)
            addPorts(host, static_cast<int>(id), addressOf(job, id, address));
    }
    if (!job.cluster.evaluator) return hosts;
    const std::string evaluator = remote ? evaluatorHost(job, hosts) : hosts.front().name;
    const auto at = std::ranges::find_if(hosts, [&evaluator](const ExaminedHost& host) {
        return host.name == evaluator || host.address == evaluator;
    });
    ExaminedHost& host = at != hosts.end() ? *at : hostNamed(hosts, evaluator, evaluator);
    host.evaluator = true;
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
    return names;
}

}  // namespace lockstep::launch
