// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/config/cluster/cluster_facts.h"

namespace lockstep::config {

// Values of a cluster as sentences show them.
[[nodiscard]] std::string shown(int value);
[[nodiscard]] std::string shown(bool value);
[[nodiscard]] std::string shown(const std::string& value);
[[nodiscard]] std::string shown(const Address& value);
[[nodiscard]] std::string shown(ProcessRole value);
/// With commas; long lists are cut.
[[nodiscard]] std::string shown(const std::vector<Address>& values);
[[nodiscard]] std::string shown(const std::vector<int>& values);
[[nodiscard]] std::string shown(const std::vector<std::string>& values);

/// Calls visit(name, member) for every value of ClusterFacts, in the order in which a user is told.
template <typename Visit>
void forEachFact(const Visit& visit) {
    visit("job_addresses", &ClusterFacts::jobAddresses);
    visit("coordinator_address", &ClusterFacts::coordinatorAddress);
    visit("coordinator_bind_address", &ClusterFacts::coordinatorBindAddress);
    visit("num_processes", &ClusterFacts::numProcesses);
    visit("role", &ClusterFacts::role);
    visit("process_id", &ClusterFacts::processId);
    visit("evaluator", &ClusterFacts::evaluator);
    visit("evaluator_address", &ClusterFacts::evaluatorAddress);
    visit("evaluator_started", &ClusterFacts::evaluatorStarted);
    visit("devices_per_process", &ClusterFacts::devicesPerProcess);
    visit("local_process_id", &ClusterFacts::localProcessId);
    visit("local_device_ids", &ClusterFacts::localDeviceIds);
    visit("partition_index", &ClusterFacts::partitionIndex);
    visit("hosts", &ClusterFacts::hosts);
    visit("start_id", &ClusterFacts::startId);
}

}  // namespace lockstep::config
