// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/cluster/cluster_detection.h"
#include "core/config/cluster/contradictions.h"
#include "core/config/cluster/tf_config.h"
#include "core/config/cluster/variable_reader.h"
#include "core/config/document/effective_cluster.h"
#include "core/config/job/cluster_spec.h"

namespace lockstep::config {

namespace {

constexpr std::string_view kKerasPrefix = "KERAS_DISTRIBUTION_";
constexpr std::string_view kJobAddresses = "KERAS_DISTRIBUTION_JOB_ADDRESSES";
constexpr std::string_view kNumProcesses = "KERAS_DISTRIBUTION_NUM_PROCESSES";
constexpr std::string_view kProcessId = "KERAS_DISTRIBUTION_PROCESS_ID";

/// Nobody but keras.distribution reads variables with its prefix, so another one is a mistake,
/// which would leave the process alone with its default.
void checkKerasNames(const Environment& environment, VariableReader& reader) {
    const std::vector<std::string> known = {std::string(kJobAddresses), std::string(kNumProcesses),
                                            std::string(kProcessId)};
    const auto& all = environment.all();
    for (auto entry = all.lower_bound(kKerasPrefix);
         entry != all.end() && entry->first.starts_with(kKerasPrefix); ++entry) {
        if (std::find(known.begin(), known.end(), entry->first) != known.end()) continue;
        const auto meant = nearestName(entry->first, known);
        reader.refuse(
            {ErrorCode::BadInput,
             fmt::format("there is no variable {}{}", sanitizeLine(entry->first, 80),
                         meant ? fmt::format(", did you mean {}?", *meant) : ""),
             fmt::format("Correct or unset it; the variables are {}.", joinWords(known))});
    }
}

Result<ClusterFacts> readKeras(const Environment& environment) {
    VariableReader reader(environment, OriginKind::Environment);
    checkKerasNames(environment, reader);
    ClusterFacts facts;
    facts.numProcesses = reader.processCount(kNumProcesses);
    facts.processId = reader.processId(kProcessId);
    if (auto addresses = reader.addresses(kJobAddresses)) {
        // One address without a comma is the coordinator's, whatever the count.
        if (addresses->value.size() == 1)
            facts.coordinatorAddress = reader.said(addresses->value.front(), kJobAddresses);
        else
            facts.jobAddresses = std::move(addresses);
    }
    if (facts.jobAddresses && facts.numProcesses) {
        const Error mismatch = countMismatch(*facts.jobAddresses, *facts.numProcesses);
        if (facts.jobAddresses->value.size() != static_cast<std::size_t>(facts.numProcesses->value))
            reader.refuse(mismatch);
    }
    return reader.finish(std::move(facts));
}

/// JAX reads JAX_PARTITION_INDEX and then the name it had before, JAX_SLICE_INDEX.
Said<int> readPartition(VariableReader& reader) {
    constexpr int kMostPartitions = 1 << 20;
    auto partition = reader.integer("JAX_PARTITION_INDEX", 0, kMostPartitions);
    auto slice = reader.integer("JAX_SLICE_INDEX", 0, kMostPartitions);
    if (partition && slice && partition->value != slice->value)
        reader.refuse("JAX_SLICE_INDEX",
                      fmt::format("JAX_PARTITION_INDEX, its new name, is \"{}\"", partition->value),
                      "Unset JAX_SLICE_INDEX.");
    return partition ? partition : slice;
}

Result<ClusterFacts> readJax(const Environment& environment) {
    VariableReader reader(environment, OriginKind::Environment);
    ClusterFacts facts;
    facts.coordinatorAddress = reader.address("JAX_COORDINATOR_ADDRESS");
    if (const auto bind = reader.address("JAX_COORDINATOR_BIND_ADDRESS"))
        facts.coordinatorBindAddress =
            reader.said(toString(bind->value), "JAX_COORDINATOR_BIND_ADDRESS");
    facts.localDeviceIds = reader.deviceIds("JAX_LOCAL_DEVICE_IDS");
    facts.partitionIndex = readPartition(reader);
    return reader.finish(std::move(facts));
}

Result<ClusterFacts> readTensorFlow(const Environment& environment) {
    const auto text = environment.get("TF_CONFIG");
    if (!text) return ClusterFacts{};
    return readTfConfig(*text, {OriginKind::Environment, "TF_CONFIG"});
}

}  // namespace

Result<ClusterFacts> readEnvironment(const Environment& environment) {
    ClusterFacts all;
    for (const auto read : {readKeras, readTensorFlow, readJax}) {
        auto facts = TRY(read(environment));
        if (auto same = checkAgreement(all, facts); !same) return fail(std::move(same).error());
        all = overrule(std::move(facts), all);
    }
    return all;
}

}  // namespace lockstep::config
