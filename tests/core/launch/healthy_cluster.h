// SPDX-License-Identifier: Apache-2.0
// An examination without faults, for tests to break one thing of.
#pragma once

#include <fmt/format.h>

#include "core/launch/doctor/doctor.h"
#include "core/launch/doctor/faults/findings.h"

namespace lockstep::tests {

inline constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

inline config::JobSpec clusterJob(int hosts) {
    config::JobSpec job;
    job.launch.method = config::LaunchMethod::Ssh;
    job.cluster.numProcesses = hosts;
    for (int host = 1; host <= hosts; ++host)
        job.cluster.jobAddresses.push_back({fmt::format("host{}", host), host == 1 ? 7777 : 0});
    job.data.dataset = "mnist";
    job.model.layers = {{"dense", 256, config::Activation::Relu}, {"dense", 10}};
    return job;
}

inline std::string addressOf(std::size_t host) {
    return fmt::format("10.77.0.{}", host + 1);
}

inline wire::HostFacts healthyFacts(const launch::Examination& all, std::size_t at) {
    wire::HostFacts facts;
    facts.set_host(all.hosts[at].name);
    facts.set_user("ada");
    facts.set_build("build-1");
    facts.set_glibc("2.36");
    facts.set_architecture("x86_64");
    facts.set_memory_bytes(16 * kGibibyte);
    facts.set_memory_available_bytes(12 * kGibibyte);
    facts.set_open_files_limit(65536);
    facts.set_shared_memory_free_bytes(kGibibyte);
    wire::NetworkInterface& interface = *facts.add_interfaces();
    interface.set_name("eth0");
    interface.set_address(addressOf(at));
    interface.set_prefix(24);
    for (std::size_t other = 0; other < all.hosts.size(); ++other) {
        wire::NameLookup& lookup = *facts.add_lookups();
        lookup.set_name(all.hosts[other].address);
        lookup.set_address(addressOf(other));
        lookup.set_interface(other == at ? "lo" : "eth0");
        lookup.set_source(addressOf(at));
    }
    wire::FolderFacts& folder = *facts.mutable_run_folder();
    folder.set_path("/data/runs");
    folder.set_existing("/data/runs");
    folder.set_writable(true);
    folder.set_free_bytes(100 * kGibibyte);
    folder.set_free_inodes(1'000'000);
    folder.set_filesystem("ext4");
    facts.mutable_data()->set_needed(true);
    facts.mutable_data()->set_present(true);
    facts.mutable_data()->set_fingerprint("00aa");
    facts.mutable_data()->set_bytes(55'000'000);
    facts.mutable_gpu()->set_state("driver_missing");
    facts.mutable_gpu()->set_sentence("there is no NVIDIA driver on this machine");
    facts.mutable_gpu()->set_remedy("Install it.");
    return facts;
}

/// All hosts examined, all connections made.
inline launch::Examination healthyCluster(int hosts, const std::vector<std::string>& spares = {}) {
    launch::DoctorTask task;
    task.job = clusterJob(hosts);
    task.job.launch.spares = spares;
    task.runFolder = "/data/runs";
    task.dataDirectory = "/data/mnist";
    task.build = "build-1";
    launch::Examination all = launch::beginningOf(task);
    for (std::size_t at = 0; at < all.hosts.size(); ++at) {
        launch::ExaminedHost& host = all.hosts[at];
        host.state = launch::HostState::Done;
        host.clock = launch::ClockOffset{0.002, 0.001};
        host.facts = healthyFacts(all, at);
        for (launch::PortTest& port : host.ports) {
            port.opened.emplace();
            port.opened->set_port(port.address.port == 0 ? 40'000U : unsigned(port.address.port));
        }
    }
    for (std::size_t from = 0; from < all.hosts.size(); ++from)
        for (std::size_t to = 0; to < all.hosts.size(); ++to)
            for (std::size_t port = 0; from != to && port < all.hosts[to].ports.size(); ++port) {
                launch::TriedConnection tried{from, to, port, {}};
                tried.result.set_source(addressOf(from));
                tried.result.set_milliseconds(0.3);
                all.connections.push_back(tried);
            }
    all.finished = true;
    return all;
}

/// Every connection from one host to another of these purposes gets this outcome. -1: any host.
inline void breakConnections(launch::Examination& all, int from, int to,
                             wire::ConnectionOutcome outcome,
                             std::optional<launch::PortPurpose> purpose = {}) {
    for (launch::TriedConnection& tried : all.connections)
        if ((from < 0 || tried.from == std::size_t(from)) &&
            (to < 0 || tried.to == std::size_t(to)) &&
            (!purpose || all.hosts[tried.to].ports[tried.port].purpose == *purpose))
            tried.result.set_outcome(outcome);
}

}  // namespace lockstep::tests
