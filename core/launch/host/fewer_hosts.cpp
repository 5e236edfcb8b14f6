// SPDX-License-Identifier: Apache-2.0
#include "core/launch/host/fewer_hosts.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <vector>

#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/config/lint/fewer_rules.h"
#include "core/config/lint/ssh_destination.h"

namespace lockstep::launch {

namespace {

/// Of the processes that are left each keeps its place among the others. Process 0's host is the
/// first one, as planHosts() has it.
void numberAnew(std::vector<HostPlan>& plans) {
    std::map<std::uint32_t, std::uint32_t> fresh;  // by the former id
    for (const HostPlan& plan : plans)
        for (const std::uint32_t id : plan.processes)
            fresh[id] = 0;
    std::uint32_t next = 0;
    for (auto& [former, id] : fresh)
        id = next++;
    for (HostPlan& plan : plans)
        for (std::uint32_t& id : plan.processes)
            id = fresh[id];
    std::ranges::stable_sort(plans, {}, [](const HostPlan& plan) {
        return plan.processes.empty() ? std::numeric_limits<std::uint32_t>::max()
                                      : plan.processes.front();
    });
}

/// Ids of a plan ascend: what lies behind an element keeps its place until it is looked at.
template <typename Element>
void removeProcesses(std::vector<Element>& list, const std::vector<std::uint32_t>& ids) {
    for (auto id = ids.rbegin(); id != ids.rend(); ++id)
        if (*id < list.size()) list.erase(list.begin() + static_cast<std::ptrdiff_t>(*id));
}

/// `home`: the host of the process that is number 0 from now on.
void removeHost(config::JobSpec& job, const HostPlan& lost, const HostPlan& home) {
    config::ClusterSpec& cluster = job.cluster;
    std::vector<std::string>& hosts = job.launch.hosts;
    const auto count = static_cast<std::size_t>(cluster.numProcesses);
    const bool namesCoordinatorAlone = cluster.jobAddresses.size() < count;
    if (lost.evaluator && cluster.evaluatorAddress) {
        cluster.evaluatorAddress.reset();
        if (hosts.size() > count) hosts.pop_back();
    }
    removeProcesses(hosts, lost.processes);
    if (!namesCoordinatorAlone) removeProcesses(cluster.jobAddresses, lost.processes);
    if (namesCoordinatorAlone && !lost.processes.empty() && lost.processes.front() == 0) {
        const auto destination = config::parseSshDestination(home.host);
        cluster.jobAddresses = {{destination ? destination->host : home.host, 0}};
    }
    cluster.numProcesses -= static_cast<int>(lost.processes.size());
}

/// Why the rest of the job does not go on; empty: it does.
std::string whyNot(const config::JobSpec& job, int before) {
    const int left = job.cluster.numProcesses;
    if (left < std::max(job.launch.leastProcesses, 1))
        return fmt::format("{} would be left, and launch.least_processes is {}",
                           counted(left, "process"), job.launch.leastProcesses);
    const auto document = config::JobDocument::parse(config::resolvedToml(job), "job.toml");
    if (!document) return document.error().message;
    const auto& findings = document->findings();
    const auto refusal =
        std::ranges::find(findings, config::Severity::Error, &config::Finding::severity);
    if (refusal == findings.end()) return {};
    return fmt::format("with {} of {} the job is refused: {}", left, counted(before, "process"),
                       refusal->message);
}

/// How it is told. A spare that has not joined has taken no place: the host is meant whose place it
/// should have taken.
wire::HostLeftBehind& noteLeft(wire::AgentConfig& config, const HostPlan& lost) {
    const auto restart = static_cast<std::uint32_t>(config.failures_before_size());
    std::string name = lost.host;
    auto& replaced = *config.mutable_replaced_hosts();
    const auto brought = std::ranges::find_if(replaced, [&](const wire::HostReplacement& one) {
        return one.restart() == restart && one.spare() == lost.host;
    });
    if (brought != replaced.end()) {
        name = brought->host();
        replaced.erase(brought);
    }
    wire::HostLeftBehind& left = *config.add_left_hosts();
    left.set_host(name);
    for (const std::uint32_t id : lost.processes)
        left.add_process_ids(id);
    left.set_evaluator(lost.evaluator);
    left.set_restart(restart);
    return left;
}

}  // namespace

int leastProcessesOf(const std::string& jobToml) {
    const auto document = config::JobDocument::parse(jobToml, "job.toml");
    return document ? document->spec().launch.leastProcesses : 0;
}

bool couldAskForFewer(const std::string& jobToml) {
    const auto document = config::JobDocument::parse(jobToml, "job.toml");
    return document && document->spec().launch.leastProcesses == 0 &&
           config::whyAllAreNeeded(document->spec()).empty();
}

Result<RemoteOrder> orderWithout(RemoteOrder order, std::size_t host) {
    auto document = TRY(config::JobDocument::parse(order.config.job_toml(), "job.toml"));
    auto job = TRY(document.checked());
    const int before = job.cluster.numProcesses;
    const HostPlan lost = order.plan[host];
    order.plan.erase(order.plan.begin() + static_cast<std::ptrdiff_t>(host));
    if (order.plan.empty()) return fail(ErrorCode::BadInput, "no other host would be left");
    numberAnew(order.plan);
    HostPlan& home = order.plan.front();
    home.evaluator = home.evaluator || lost.evaluator;
    removeHost(job, lost, home);
    if (const std::string why = whyNot(job, before); !why.empty())
        return fail(ErrorCode::BadInput, why);
    int launched = before;
    for (const wire::HostLeftBehind& one : order.config.left_hosts())
        launched += one.process_ids_size();
    wire::HostLeftBehind& left = noteLeft(order.config, lost);
    left.set_processes_left(static_cast<std::uint32_t>(job.cluster.numProcesses));
    left.set_processes_launched(static_cast<std::uint32_t>(launched));
    order.config.set_job_toml(config::resolvedToml(job));
    return order;
}

}  // namespace lockstep::launch
