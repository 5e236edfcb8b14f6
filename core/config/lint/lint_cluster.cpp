// SPDX-License-Identifier: Apache-2.0
// Rules of [cluster] and [launch].
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "core/base/plural.h"
#include "core/config/cluster/contradictions.h"
#include "core/config/job/cluster_spec.h"
#include "core/config/lint/address_rules.h"
#include "core/config/lint/copy_rules.h"
#include "core/config/lint/evaluator_rules.h"
#include "core/config/lint/fewer_rules.h"
#include "core/config/lint/lint_report.h"
#include "core/config/lint/lint_rules.h"
#include "core/config/lint/mesh_rules.h"
#include "core/config/lint/spare_rules.h"
#include "core/config/lint/ssh_destination.h"

namespace lockstep::config {

namespace {

constexpr double kHastyTimeout = 2;  ///< Seconds.

// ---- cluster -----------------------------------------------------------------------------------

void checkProcessCount(const JobSpec& spec, Report& report) {
    const ClusterSpec& cluster = spec.cluster;
    const auto given = static_cast<int>(cluster.jobAddresses.size());
    if (cluster.numProcesses == given || given == 1) return;
    report.error("cluster.num_processes",
                 countMismatchSentence(cluster.jobAddresses, cluster.numProcesses),
                 "Leave num_processes out, or give the coordinator's address alone.");
}

void checkAddresses(const JobSpec& spec, Report& report) {
    for (AddressProblem& problem : addressProblems(spec.cluster.jobAddresses)) {
        const std::string key = fmt::format("cluster.job_addresses[{}]", problem.index);
        report.add(problem.severity, key, fmt::format("{} {}", key, problem.message),
                   std::move(problem.remedy));
    }
}

void checkEvaluatorAddress(const JobSpec& spec, Report& report) {
    const auto& evaluator = spec.cluster.evaluatorAddress;
    if (!evaluator) return;
    if (auto problem = evaluatorProblem(spec.cluster.jobAddresses, *evaluator))
        report.error("cluster.evaluator", "cluster.evaluator " + problem->message,
                     std::move(problem->remedy));
}

void checkEvenHosts(const JobSpec& spec, Report& report) {
    const std::string counts = unevenHosts(processHosts(spec));
    if (!counts.empty())
        report.add(Severity::Note, "cluster.job_addresses",
                   fmt::format("the hosts have unequal numbers of replicas: {}; the fullest host "
                               "sets the pace of every step",
                               counts),
                   "Training is right all the same; torchrun and TensorFlow want equal numbers.");
}

void checkLocalDevices(const JobSpec& spec, Report& report) {
    const ClusterSpec& cluster = spec.cluster;
    if (cluster.localDeviceIds.empty()) return;
    if (cluster.device == DeviceKind::Cpu)
        report.error("cluster.local_device_ids",
                     "cluster.local_device_ids chooses GPUs, but cluster.device is \"cpu\"",
                     "Leave one of them out.");
}

void checkTransport(const JobSpec& spec, Report& report) {
    const ClusterSpec& cluster = spec.cluster;
    if (cluster.transport == Transport::Nccl && cluster.device == DeviceKind::Cpu)
        report.error("cluster.transport",
                     "cluster.transport is \"nccl\", which moves data between GPUs, but "
                     "cluster.device is \"cpu\"",
                     "Set cluster.transport to \"auto\", or cluster.device to \"gpu\".");
    if (cluster.transport == Transport::Shm && spec.launch.method == LaunchMethod::Ssh) {
        std::vector<std::string> hosts = processHosts(spec);
        std::sort(hosts.begin(), hosts.end());
        if (std::unique(hosts.begin(), hosts.end()) - hosts.begin() > 1)
            report.error("cluster.transport",
                         "cluster.transport is \"shm\", but the processes are on several hosts, "
                         "which share no memory",
                         "Set cluster.transport to \"auto\".");
    }
}

void checkTimeouts(const JobSpec& spec, Report& report) {
    const double timeout = spec.cluster.heartbeatTimeoutSeconds;
    if (timeout >= kHastyTimeout) return;
    report.warning(
        "cluster.heartbeat_timeout_seconds",
        fmt::format("cluster.heartbeat_timeout_seconds is {}: a process that pauses for so "
                    "long, as on a busy machine, counts as lost",
                    timeout),
        "Use 5 seconds or more; 10 is the default.");
}

// ---- launch ------------------------------------------------------------------------------------

void checkLaunchMethod(const JobSpec& spec, Report& report) {
    const auto& addresses = spec.cluster.jobAddresses;
    const bool remote = std::any_of(addresses.begin(), addresses.end(),
                                    [](const Address& a) { return !isLoopback(a.host); });
    if (spec.launch.method == LaunchMethod::Local && remote && addresses.size() > 1)
        report.warning(
            "launch.method",
            "launch.method is \"local\": all processes start on this machine, but their addresses "
            "name other hosts",
            "Set launch.method to \"ssh\", or use 127.0.0.1:0 for every process.");
}

void checkHosts(const JobSpec& spec, Report& report) {
    if (spec.launch.method != LaunchMethod::Ssh) return;
    const auto named = spec.launch.hosts.size();
    const auto processes = static_cast<std::size_t>(spec.cluster.numProcesses);
    const bool hasEvaluators = spec.cluster.evaluatorAddress && named == processes + 1;
    if (named > 0 && named != processes && !hasEvaluators)
        report.error("launch.hosts",
                     fmt::format("launch.hosts has {}, but there {}", counted(named, "host"),
                                 isCounted(processes, "process")),
                     "Name one host per process, repeating a host that runs several, or none.");
    else if (named == 0 && spec.cluster.jobAddresses.size() != processes)
        report.error(
            "launch.hosts",
            fmt::format("launch.hosts is empty, and the addresses name {} of {} processes' hosts",
                        spec.cluster.jobAddresses.size(), processes),
            "Name one ssh destination per process in launch.hosts.");
}

/// Where ssh will go: to what launch.hosts names, else to the hosts of the addresses.
std::vector<std::pair<std::string, std::string>> sshPlaces(const JobSpec& spec) {
    std::vector<std::pair<std::string, std::string>> places;
    for (std::size_t i = 0; i < spec.launch.hosts.size(); ++i)
        places.emplace_back(fmt::format("launch.hosts[{}]", i), spec.launch.hosts[i]);
    if (!places.empty()) return places;
    for (std::size_t i = 0; i < spec.cluster.jobAddresses.size(); ++i)
        places.emplace_back(fmt::format("cluster.job_addresses[{}]", i),
                            spec.cluster.jobAddresses[i].host);
    return places;
}

void checkDestinations(const JobSpec& spec, Report& report) {
    if (spec.launch.method != LaunchMethod::Ssh) return;
    std::map<std::string, std::pair<std::string, std::string>> first;  // by what ssh makes of it
    for (const auto& [key, text] : sshPlaces(spec)) {
        auto destination = parseSshDestination(text);
        if (!destination) {
            report.error(key, fmt::format("{}: {}", key, destination.error().message),
                         destination.error().remedy);
            continue;
        }
        // ssh takes names in lower case, as the DNS does.
        std::ranges::transform(destination->host, destination->host.begin(),
                               [](unsigned char c) { return std::tolower(c); });
        const auto [known, isNew] = first.try_emplace(destination->words(), key, text);
        if (isNew || known->second.second == text) continue;
        report.error(key,
                     fmt::format("{} is \"{}\" and {} is \"{}\": that is one host under two names, "
                                 "which would be started twice",
                                 key, text, known->second.first, known->second.second),
                     "Write a host that runs several processes alike each time.");
    }
}

void checkOnStuck(const JobSpec& spec, Report& report) {
    if (spec.launch.onStuck != OnStuck::Restart || spec.launch.restarts() > 0) return;
    report.warning(
        "launch.on_stuck",
        "launch.on_stuck is \"restart\", but launch.max_restarts is 0: a job that is stuck "
        "ends",
        "Set launch.max_restarts to how often it may begin again.");
}

/// Why no steps of the job are kept in memory; empty: they are.
std::string whyNotKept(const JobSpec& spec) {
    if (spec.launch.runsOwnProgram())
        return "launch.command trains, and only steps of Lockstep's own networks are kept";
    if (std::string why = whyPartsAreNeeded(spec); !why.empty()) return why;
    if (spec.cluster.device == DeviceKind::Gpu)
        return "cluster.device is \"gpu\", and what lies on GPUs is not kept yet";
    if (spec.cluster.transport == Transport::Nccl)
        return "cluster.transport is \"nccl\", and what lies on GPUs is not kept yet";
    return {};
}

void checkRegroup(const JobSpec& spec, Report& report) {
    if (const std::string why = whyNotKept(spec); !why.empty())
        return report.error("launch.on_failure", "launch.on_failure is \"regroup\", but " + why,
                            "Set launch.on_failure to \"restart\": the run then goes on from its "
                            "newest checkpoint.");
    report.add(Severity::Note, "launch.on_failure",
               fmt::format("launch.on_failure is \"regroup\": the job begins again up to {}, "
                           "and each host keeps the newest two steps in memory (two more copies of "
                           "weights and optimiser state, renewed at every step)",
                           counted(spec.launch.restarts(), "time")),
               "launch.max_restarts is how often; \"restart\" keeps nothing in memory, and goes on "
               "from the newest checkpoint.");
}

/// Who starts a lost host's agent again is the launcher, while it is there.
void checkWhoBeginsAgain(const JobSpec& spec, Report& report) {
    const LaunchSpec& launch = spec.launch;
    if (launch.method != LaunchMethod::Ssh || launch.restarts() == 0 ||
        launch.onDisconnect == OnDisconnect::Tied)
        return;
    report.add(Severity::Note, "launch.on_disconnect",
               fmt::format("launch.on_disconnect is \"detached\": the {} cover the death of a "
                           "process, but nobody begins again when a host or its agent is lost",
                           counted(launch.restarts(), "restart")),
               "With \"tied\" the program that has launched the job does, while it is there.");
}

void checkOnFailure(const JobSpec& spec, Report& report) {
    if (spec.launch.onFailure == OnFailure::Stop && spec.launch.maxRestarts > 0)
        report.error("launch.on_failure",
                     fmt::format("launch.on_failure is \"stop\", but launch.max_restarts is {}: a "
                                 "job that stops does not begin again",
                                 spec.launch.maxRestarts),
                     "Remove one of the two.");
    if (spec.launch.keepsSteps()) checkRegroup(spec, report);
}

}  // namespace

const std::vector<Rule>& clusterRules() {
    static const std::vector<Rule> kRules = {
        {{"cluster.job_addresses", "cluster.num_processes"}, checkProcessCount},
        {{"cluster.job_addresses"}, checkAddresses},
        {{"cluster.job_addresses", "cluster.evaluator"}, checkEvaluatorAddress},
        {{"evaluator.device"}, checkEvaluatorDevice},
        {{"cluster.evaluator", "evaluator.processes", "evaluator.policy",
          "checkpoint.keep_unscored"},
         checkEvaluatorIsThere},
        {{"cluster.job_addresses", "cluster.transport", "cluster.device", "launch.method"},
         checkTransport},
        {{"cluster.local_device_ids", "cluster.device"}, checkLocalDevices},
        {{"cluster.job_addresses", "cluster.num_processes", "launch.hosts", "launch.method"},
         checkEvenHosts},
        {{"cluster.heartbeat_timeout_seconds"}, checkTimeouts},
        {{"cluster.job_addresses", "launch.method"}, checkLaunchMethod},
        {{"launch.on_stuck", "launch.max_restarts", "launch.on_failure"}, checkOnStuck},
        {{"launch.on_failure", "launch.max_restarts", "launch.command", "distribution.mesh.model",
          "cluster.device", "cluster.transport"},
         checkOnFailure},
        {{"launch.on_disconnect", "launch.max_restarts", "launch.on_failure", "launch.method"},
         checkWhoBeginsAgain},
        {{"cluster.job_addresses", "cluster.num_processes", "cluster.evaluator", "launch.hosts",
          "launch.method", "launch.command", "checkpoint.copies"},
         checkCopies},
        {{"cluster.job_addresses", "cluster.num_processes", "cluster.evaluator", "launch.hosts"},
         checkHosts},
        {{"cluster.job_addresses", "launch.hosts", "launch.method"}, checkDestinations},
        {{"launch.spares", "launch.spare_after_seconds", "launch.method", "launch.max_restarts",
          "launch.on_failure", "launch.on_disconnect", "cluster.job_addresses", "cluster.evaluator",
          "checkpoint.copies", "launch.hosts"},
         checkSpares},
        {{"launch.least_processes", "launch.method", "launch.max_restarts", "launch.on_failure",
          "launch.on_disconnect", "launch.command", "launch.spares", "cluster.job_addresses",
          "cluster.num_processes", "distribution.mesh.model", "data.auto_shard"},
         checkLeastProcesses},
    };
    return kRules;
}

}  // namespace lockstep::config
