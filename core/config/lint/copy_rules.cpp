// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/copy_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/config/job/cluster_spec.h"

namespace lockstep::config {

namespace {

constexpr const char* kKey = "checkpoint.copies";

/// As a launch over ssh names them, each once, process 0's first.
std::vector<std::string> hostsOf(const JobSpec& spec) {
    const std::vector<std::string> all =
        spec.launch.hosts.empty() ? processHosts(spec) : spec.launch.hosts;
    std::vector<std::string> hosts;
    for (const std::string& host : all)
        if (std::ranges::find(hosts, host) == hosts.end()) hosts.push_back(host);
    const auto& evaluator = spec.cluster.evaluatorAddress;
    if (evaluator && std::ranges::find(hosts, evaluator->host) == hosts.end())
        hosts.push_back(evaluator->host);
    return hosts;
}

/// Why no copies are made of this job; empty: they are.
std::string whyNone(const JobSpec& spec, std::size_t hosts) {
    if (spec.launch.runsOwnProgram())
        return "the checkpoints of a program of your own (launch.command) are its own affair";
    if (spec.launch.method == LaunchMethod::Local)
        return "a local job has one host, and all lies on its disk";
    if (spec.launch.method != LaunchMethod::Ssh)
        return "hosts that a scheduler starts share the run's folder, which needs no copies";
    if (hosts < 2) return "all processes of the job are on one host";
    return {};
}

}  // namespace

void checkCopies(const JobSpec& spec, Report& report) {
    const std::vector<std::string> hosts = hostsOf(spec);
    const std::string why = whyNone(spec, hosts.size());
    if (spec.checkpoint.copies > 1) {
        if (!why.empty())
            report.warning(kKey, fmt::format("checkpoint.copies is 2, but {}", why),
                           "Remove checkpoint.copies.");
        return;
    }
    if (!why.empty()) return;
    report.add(Severity::Note, kKey,
               fmt::format("the run's checkpoints lie on {} alone, unless the hosts share the "
                           "run's folder: whoever loses that host loses all that was trained",
                           hosts.front()),
               fmt::format("checkpoint.copies = 2 keeps the newest checkpoints and the journal on "
                           "{}, too.",
                           hosts[1]));
}

}  // namespace lockstep::config
