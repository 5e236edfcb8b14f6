// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/copy_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/config/job/cluster_spec.h"

namespace lockstep::config {

namespace {

constexpr const char* kKey = "checkpoint.copies";

/// Process 0's host, and the first other one, as a launch over ssh names them; each empty where
/// there is none, or where another rule says what is wrong with them.
std::pair<std::string, std::string> firstHosts(const JobSpec& spec) {
    const std::vector<std::string> hosts =
        spec.launch.hosts.empty() ? processHosts(spec) : spec.launch.hosts;
    const auto count = static_cast<std::size_t>(spec.cluster.numProcesses);
    const bool hasEvaluators = spec.cluster.evaluatorAddress && hosts.size() == count + 1;
    if (hosts.empty() || (hosts.size() != count && !hasEvaluators)) return {};
    const auto second = std::ranges::find_if(
        hosts, [&hosts](const std::string& host) { return host != hosts.front(); });
    if (second != hosts.end() && second->empty()) return {};
    if (second != hosts.end()) return {hosts.front(), *second};
    const auto& evaluator = spec.cluster.evaluatorAddress;
    const bool isElsewhere = evaluator && evaluator->host != hosts.front();
    return {hosts.front(), isElsewhere ? evaluator->host : std::string()};
}

/// Why no copies are made of this job; empty: they are.
std::string whyNone(const JobSpec& spec, const std::string& second) {
    if (spec.launch.runsOwnProgram())
        return "the checkpoints of a program of your own (launch.command) are its own affair";
    if (spec.launch.method == LaunchMethod::Local)
        return "a local job has one host, and all lies on its disk";
    if (spec.launch.method != LaunchMethod::Ssh)
        return "hosts that a scheduler starts share the run's folder, which needs no copies";
    if (second.empty()) return "all processes of the job are on one host";
    return {};
}

}  // namespace

void checkCopies(const JobSpec& spec, Report& report) {
    const auto [first, second] = firstHosts(spec);
    if (spec.launch.method == LaunchMethod::Ssh && first.empty()) return;
    const std::string why = whyNone(spec, second);
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
                           first),
               fmt::format("checkpoint.copies = 2 keeps the newest checkpoints and the journal on "
                           "{}, too.",
                           second));
}

}  // namespace lockstep::config
