// SPDX-License-Identifier: Apache-2.0
#include "core/config/document/environment_lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/config/cluster/cluster_detection.h"
#include "core/config/document/effective_cluster.h"
#include "core/config/job/cluster_spec.h"
#include "core/config/lint/address_rules.h"
#include "core/config/lint/batch_rules.h"

namespace lockstep::config {

namespace {

Finding finding(Severity severity, std::string message, std::string remedy) {
    return {severity, {}, 0, 0, std::move(message), std::move(remedy), "environment"};
}

void add(std::vector<Finding>& findings, std::vector<Finding> more) {
    std::move(more.begin(), more.end(), std::back_inserter(findings));
}

/// Names only: a proxy's address may hold a password.
std::vector<Finding> lintProxies(const Environment& environment, const ClusterFacts& facts) {
    if (!facts.numProcesses || facts.numProcesses->value == 1) return {};
    std::vector<std::string> names;
    for (const auto& [name, value] : environment.all()) {
        std::string lower = name;
        std::transform(lower.begin(), lower.end(), lower.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (lower.find("_proxy") != std::string::npos) names.push_back(sanitizeLine(name, 60));
    }
    if (names.empty()) return {};
    return {finding(
        Severity::Warning,
        fmt::format(
            "proxy variable(s) in the environment as distributed setup: {}. On some systems, "
            "this may cause a hang of distributed.initialize",
            joinWords(names)),
        "Lockstep's own connections take no proxy; unset them for other programs of the cluster.")};
}

/// What the launcher started against what stronger sources say of the count.
std::vector<Finding> lintStarted(const ClusterFacts& cluster, const ClusterFacts& launcher) {
    if (!cluster.numProcesses || !launcher.numProcesses ||
        cluster.numProcesses->value == launcher.numProcesses->value)
        return {};
    return {finding(Severity::Warning,
                    fmt::format("num_processes is {} from {}, but {} started, says {}",
                                cluster.numProcesses->value, cluster.numProcesses->origin.name,
                                countedWas(launcher.numProcesses->value, "process"),
                                launcher.numProcesses->origin.name),
                    "Start as many processes as the job has.")};
}

std::vector<Finding> lintBatch(const JobDocument& job, const ClusterFacts& cluster) {
    if (!cluster.numProcesses) return {};
    const JobSpec& spec = job.spec();
    const int devices =
        cluster.devicesPerProcess ? cluster.devicesPerProcess->value : spec.cluster.localReplicas();
    const int actual = cluster.numProcesses->value * devices;
    const int planned = spec.cluster.replicaCount();
    if (actual == planned) return {};  // the job file's own findings say it
    std::vector<Finding> findings;
    for (const auto& advice :
         {adviseBatch(spec.training, actual), adviseGrowth(spec.training, planned, actual)})
        if (advice) findings.push_back(finding(advice->severity, advice->message, advice->remedy));
    return findings;
}

bool saysNothing(const ClusterFacts& facts) {
    return explain(facts).empty();
}

}  // namespace

std::vector<Finding> lintFacts(const ClusterFacts& facts) {
    std::vector<Finding> findings;
    const auto about = [&findings](std::string_view name, const Origin& origin,
                                   const AddressProblem& problem) {
        findings.push_back(finding(problem.severity,
                                   fmt::format("{} from {} {}", name, origin.name, problem.message),
                                   problem.remedy));
    };
    if (facts.jobAddresses) {
        for (const AddressProblem& problem : addressProblems(facts.jobAddresses->value))
            about(fmt::format("job_addresses[{}]", problem.index), facts.jobAddresses->origin,
                  problem);
        if (facts.evaluatorAddress)
            if (auto problem =
                    evaluatorProblem(facts.jobAddresses->value, facts.evaluatorAddress->value))
                about("the evaluator's address", facts.evaluatorAddress->origin, *problem);
    } else if (facts.coordinatorAddress) {
        // Launchers work out a port of their own; the others' hosts count as further addresses.
        std::vector<Address> addresses{facts.coordinatorAddress->value};
        if (facts.hosts)
            for (const std::string& host : facts.hosts->value)
                addresses.push_back({host, 0});
        for (const AddressProblem& problem : addressProblems(addresses))
            if (problem.index == 0)
                about("coordinator_address", facts.coordinatorAddress->origin, problem);
    }
    const std::string uneven = facts.hosts ? unevenHosts(facts.hosts->value) : std::string();
    if (!uneven.empty())
        findings.push_back(finding(
            Severity::Note,
            fmt::format("the hosts from {} have unequal numbers of processes: {}; the fullest host "
                        "sets the pace of every step",
                        facts.hosts->origin.name, uneven),
            "Training is right all the same; torchrun and TensorFlow want equal numbers."));
    return findings;
}

EnvironmentReport lintEnvironment(const Environment& environment, const JobDocument* job) {
    EnvironmentReport report;
    report.findings = lintVariables(environment);
    const auto said = readEnvironment(environment);
    const auto detected = detectCluster(environment);
    const ClusterFacts launcher = detected && *detected ? **detected : ClusterFacts{};
    const ClusterFacts known = overrule(launcher, said ? *said : ClusterFacts{});
    const ClusterFacts file = job != nullptr ? factsOf(*job) : ClusterFacts{};
    if (said && detected && saysNothing(known)) return report;
    const auto cluster = resolveCluster({}, file, environment);
    report.lines = explain(cluster ? *cluster : overrule(known, file));
    if (!cluster)
        report.findings.push_back(
            finding(Severity::Error, cluster.error().message, cluster.error().remedy));
    else if (!detected)  // not needed, but wrong
        report.findings.push_back(
            finding(Severity::Warning, detected.error().message, detected.error().remedy));
    add(report.findings, lintFacts(cluster ? *cluster : known));
    add(report.findings, lintProxies(environment, cluster ? *cluster : known));
    if (cluster) add(report.findings, lintStarted(*cluster, launcher));
    if (cluster && job != nullptr) add(report.findings, lintBatch(*job, *cluster));
    return report;
}

}  // namespace lockstep::config
