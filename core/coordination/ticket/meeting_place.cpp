// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/ticket/meeting_place.h"

#include <set>

#include "core/base/host_address.h"
#include "core/base/try.h"
#include "core/config/job/cluster_spec.h"

namespace lockstep::coordination {

namespace {

constexpr const char* kLoopback = "127.0.0.1";

/// The hosts' names as far as anybody says them.
std::vector<std::string> hostsOf(const config::ClusterFacts& cluster) {
    std::vector<std::string> hosts;
    if (cluster.hosts) hosts = cluster.hosts->value;
    if (hosts.empty() && cluster.jobAddresses)
        for (const config::Address& address : cluster.jobAddresses->value)
            hosts.push_back(address.host);
    return hosts;
}

std::string ownAddressOfProcess0(const config::ClusterFacts& cluster, const std::string& numeric) {
    if (!config::isLoopback(numeric) || onOneHost(cluster)) return numeric;
    // Its own name may mean the loopback interface here, and something else everywhere else.
    for (const std::string& host : hostsOf(cluster)) {
        const auto other = addressOfHost(host);
        if (other && !config::isLoopback(*other)) return ownAddressToward(*other);
    }
    return numeric;
}

std::string bindHostOf(const config::ClusterFacts& cluster, const std::string& numeric) {
    const auto& bind = cluster.coordinatorBindAddress;
    if (bind) {
        const auto address = config::parseAddress(bind->value);
        const std::string host = address ? address->host : bind->value;
        return host == "::" || host == "0.0.0.0" ? "*" : host;
    }
    return onOneHost(cluster) && config::isLoopback(numeric) ? kLoopback : "*";
}

/// The bind address's port, where it has one.
int bindPortOf(const config::ClusterFacts& cluster) {
    const auto& bind = cluster.coordinatorBindAddress;
    const auto address = bind ? config::parseAddress(bind->value) : config::Address{};
    return address ? address->port : 0;
}

}  // namespace

bool onOneHost(const config::ClusterFacts& cluster) {
    const std::string& coordinator = cluster.coordinatorAddress->value.host;
    if (cluster.numProcesses->value == 1 || config::isLoopback(coordinator)) return true;
    const std::vector<std::string> hosts = hostsOf(cluster);
    const bool complete = static_cast<int>(hosts.size()) >= cluster.numProcesses->value;
    return complete && std::set<std::string>(hosts.begin(), hosts.end()).size() == 1;
}

Result<MeetingPlace> meetingPlaceOf(const config::ClusterFacts& cluster) {
    auto numeric = TRY(addressOfHost(cluster.coordinatorAddress->value.host));
    MeetingPlace place;
    place.bindHost = bindHostOf(cluster, numeric);
    place.ownAddress = ownAddressOfProcess0(cluster, numeric);
    place.advertisedHost =
        config::isLoopback(numeric) ? place.ownAddress : cluster.coordinatorAddress->value.host;
    const int port = cluster.coordinatorAddress->value.port;
    const int ownPort = bindPortOf(cluster);
    place.bindPort = ownPort != 0 ? ownPort : port;
    place.advertisedPort = ownPort != 0 ? port : 0;
    place.onOneHost = onOneHost(cluster);
    return place;
}

}  // namespace lockstep::coordination
