// SPDX-License-Identifier: Apache-2.0
#include "core/config/document/effective_cluster.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/try.h"
#include "core/config/cluster/cluster_detection.h"
#include "core/config/cluster/cluster_resolver.h"
#include "core/config/cluster/facts_text.h"

namespace lockstep::config {

namespace {

Origin originOf(const JobDocument& document, std::string_view key) {
    return {OriginKind::JobFile, document.origin(key)};
}

/// The value when the file writes the key.
template <typename T>
Said<T> written(const JobDocument& document, std::string_view key, T value) {
    Origin origin = originOf(document, key);
    if (origin.name == "default") return std::nullopt;
    return Sourced<T>{std::move(value), std::move(origin)};
}

/// Whether what a launcher says can still matter.
bool isComplete(const ClusterFacts& facts) {
    return (facts.jobAddresses || (facts.coordinatorAddress && facts.numProcesses)) &&
           facts.processId;
}

/// The job file's facts without addresses that are left open, where another source says one.
ClusterFacts withoutOpenAddresses(ClusterFacts file, const ClusterFacts& others) {
    if (!others.jobAddresses && !others.coordinatorAddress) return file;
    if (file.coordinatorAddress && file.coordinatorAddress->value.port == 0)
        file.coordinatorAddress.reset();
    if (file.jobAddresses && file.jobAddresses->value.front().port == 0) {
        const auto& [addresses, origin] = *file.jobAddresses;
        if (!file.numProcesses && addresses.size() > 1)
            file.numProcesses = Sourced<int>{static_cast<int>(addresses.size()), origin};
        file.jobAddresses.reset();
    }
    return file;
}

}  // namespace

std::string describe(std::string_view value, const Origin& origin) {
    if (origin.kind == OriginKind::Default) return fmt::format("{} by default", value);
    return fmt::format("{} from {}", value, origin.name);
}

ClusterFacts factsOf(const JobDocument& document) {
    const ClusterSpec& cluster = document.spec().cluster;
    ClusterFacts facts;
    facts.numProcesses = written(document, "cluster.num_processes", cluster.numProcesses);
    facts.jobAddresses = written(document, "cluster.job_addresses", cluster.jobAddresses);
    if (facts.jobAddresses && facts.numProcesses && cluster.jobAddresses.size() == 1) {
        facts.coordinatorAddress =
            Sourced<Address>{cluster.jobAddresses.front(), facts.jobAddresses->origin};
        facts.jobAddresses.reset();
    }
    facts.evaluator = written(document, "cluster.evaluator", cluster.evaluator);
    if (facts.evaluator && cluster.evaluatorAddress)
        facts.evaluatorAddress =
            Sourced<Address>{*cluster.evaluatorAddress, facts.evaluator->origin};
    if (cluster.devicesPerProcess != ClusterSpec::kAllDevices)
        facts.devicesPerProcess =
            written(document, "cluster.devices_per_process", cluster.devicesPerProcess);
    if (!cluster.localDeviceIds.empty())
        facts.localDeviceIds =
            written(document, "cluster.local_device_ids", cluster.localDeviceIds);
    if (!document.spec().launch.hosts.empty())  // written out, an empty list names nobody
        facts.hosts = written(document, "launch.hosts", document.spec().launch.hosts);
    return facts;
}

ClusterFacts overrule(ClusterFacts weaker, const ClusterFacts& stronger) {
    forEachFact([&](std::string_view, auto member) {
        if (stronger.*member) weaker.*member = stronger.*member;
    });
    return weaker;
}

Result<ClusterFacts> resolveCluster(const ClusterFacts& arguments, const ClusterFacts& jobFile,
                                    const Environment& environment, std::string_view method) {
    const auto inEnvironment = TRY(readEnvironment(environment));
    const ClusterFacts stronger = overrule(overrule(inEnvironment, jobFile), arguments);
    auto detected = detectCluster(environment, method);
    if (!detected) {
        if (!method.empty() || !isComplete(stronger)) return fail(std::move(detected).error());
        detected = std::nullopt;
    }
    const ClusterFacts launcher = detected->value_or(ClusterFacts{});
    const ClusterFacts around = overrule(launcher, inEnvironment);
    const ClusterFacts all =
        overrule(overrule(around, withoutOpenAddresses(jobFile, around)), arguments);
    return completeCluster(all, launcher);
}

std::vector<std::string> explain(const ClusterFacts& facts) {
    std::vector<std::string> lines;
    forEachFact([&](std::string_view name, auto member) {
        if (const auto& fact = facts.*member)
            lines.push_back(describe(fmt::format("{} {}", name, shown(fact->value)), fact->origin));
    });
    return lines;
}

}  // namespace lockstep::config
