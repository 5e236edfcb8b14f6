// SPDX-License-Identifier: Apache-2.0
#include "core/collective/make_communicators.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/base/hash.h"
#include "core/base/plural.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/collective/host_communicator.h"
#include "core/collective/replica_group.h"

namespace lockstep::collective {

namespace {

/// One group of the job with the processes that hold it.
struct PlannedGroup {
    ExchangeGroup seen;
    std::vector<int> processes;
};

/// The groups of the job in rank order: hosts, or processes where all talk by Gloo.
std::vector<PlannedGroup> planGroups(const Topology& topology, TransportChoice transport) {
    std::vector<PlannedGroup> groups;
    for (const int host : topology.hosts()) {
        const std::vector<int> processes = topology.processesOfHost(host);
        if (transport != TransportChoice::Gloo) {
            groups.push_back({{host, topology.replicasOfHost(host), 1}, processes});
            continue;
        }
        for (const int process : processes) {
            const std::vector<int> replicas = topology.replicasOfProcess(process);
            const bool first = process == processes.front();
            groups.push_back(
                {{host, replicas, first ? 1 : static_cast<int>(replicas.size())}, {process}});
        }
    }
    return groups;
}

std::string backendOf(const Topology& topology, const std::vector<PlannedGroup>& groups) {
    if (topology.processCount() == 1) return "local";
    if (groups.size() == 1) return "shm";
    const bool shares = std::any_of(groups.begin(), groups.end(), [](const PlannedGroup& group) {
        return group.processes.size() > 1;
    });
    return shares ? "shm+gloo" : "gloo";
}

/// Everything that all processes must agree on before they touch each other's memory.
std::uint64_t fingerprintOf(const CommunicatorOptions& options) {
    std::string text =
        fmt::format("{} {} {} {}", options.prefix, static_cast<int>(options.transport),
                    options.layout.parameters, options.layout.moments);
    text += fmt::format(" {}", options.gatherWords);
    for (const Range& bucket : options.layout.buckets)
        text += fmt::format(" {}-{}", bucket.begin, bucket.end);
    for (const Process& process : options.topology.processes)
        text += fmt::format(" {}/{}", process.host, process.replicas);
    return std::max<std::uint64_t>(shortHash(text), 1);
}

Result<void> checkLayout(const BufferLayout& layout) {
    if (layout.buckets.empty())
        return fail(ErrorCode::Internal, "the gradients were not cut into buckets");
    std::size_t end = layout.parameters;
    for (const Range& bucket : layout.buckets) {
        if (bucket.end != end || bucket.begin > bucket.end)
            return fail(ErrorCode::Internal,
                        "the buckets do not cover the gradients from the end to the beginning");
        end = bucket.begin;
    }
    if (end != 0) return fail(ErrorCode::Internal, "the buckets do not cover all gradients");
    return {};
}

Result<void> checkTransport(const CommunicatorOptions& options,
                            const std::vector<PlannedGroup>& groups, const PlannedGroup& own) {
    const std::size_t hosts = options.topology.hosts().size();
    if (options.transport == TransportChoice::Shm && hosts > 1)
        return fail(ErrorCode::BadInput,
                    fmt::format("transport \"shm\" cannot join {}: shared memory ends at the "
                                "host",
                                counted(hosts, "host")),
                    "Use transport = \"auto\": shared memory within a host, Gloo between hosts.");
    if (own.processes.size() > 1 && options.segmentFd < 0)
        return fail(
            ErrorCode::BadInput,
            fmt::format("process {} was given no memory to share with the other processes of "
                        "its host",
                        options.topology.nameOfProcess(options.topology.thisProcess)),
            "Let one agent start all processes of a host, or use transport = \"gloo\".");
    if (groups.size() > 1 && options.store == nullptr)
        return fail(ErrorCode::Internal, "Gloo needs a store to find the other processes");
    return {};
}

/// Where a group's leader tells the others what it computes: its fingerprint, or kNotStarted.
std::string modelKey(const CommunicatorOptions& options, int rank) {
    return fmt::format("{}/model/{}", options.prefix, rank);
}

constexpr const char* kNotStarted = "not started";

/// Tells the other groups' leaders what this one computes, and compares with each of them.
Result<void> compareModels(const CommunicatorOptions& options,
                           const std::vector<PlannedGroup>& groups, int rank, Nanos deadline) {
    const std::string mine = fmt::format("{:016x}", fingerprintOf(options));
    TRY(options.store->set(modelKey(options, rank), mine));
    for (int other = 0; other < static_cast<int>(groups.size()); ++other) {
        if (other == rank) continue;
        const Nanos left = std::max(deadline - SteadyClock::read(), Nanos(1));
        const auto theirs = options.store->get(modelKey(options, other), left);
        const int process = options.topology.nameOfProcess(
            groups[static_cast<std::size_t>(other)].processes.front());
        if (!theirs)
            return failWithin(fmt::format("waiting for process {}", process), theirs.error());
        if (*theirs == kNotStarted)
            return fail(ErrorCode::PeerLost,
                        fmt::format("the replicas of the host of process {} did not come together",
                                    process));
        if (*theirs != mine)
            return fail(
                ErrorCode::BadInput,
                fmt::format("process {} computes another model, or was told of another "
                            "cluster, than process {}",
                            process, options.topology.nameOfProcess(options.topology.thisProcess)),
                "Start all processes with the same job file.");
    }
    return {};
}

Result<void> connectGroups(const CommunicatorOptions& options,
                           const std::vector<PlannedGroup>& groups, ReplicaGroup& group,
                           Nanos deadline) {
    TRY(compareModels(options, groups, group.rank, deadline));
    auto mesh = TRY(
        GlooMesh::connect(*options.store, {group.rank, static_cast<int>(groups.size()),
                                           options.bindHost, options.prefix + "/gloo/", deadline}));
    GlooExchange::Options exchange{
        group.groups, group.rank, options.layout, {}, group.segment->sums()};
    if (group.sumsBeforeExchange())
        exchange.own.emplace_back(group.segment->groupSums());
    else
        for (int index = 0; index < group.size(); ++index)
            exchange.own.emplace_back(group.segment->gradients(index));
    group.exchange = std::make_unique<GlooExchange>(std::move(mesh), std::move(exchange));
    return {};
}

/// The group's leader connects to the other groups; the others wait until it has.
Result<void> joinGroups(const CommunicatorOptions& options, const std::vector<PlannedGroup>& groups,
                        ReplicaGroup& group, Nanos deadline) {
    constexpr std::uint64_t kConnected = 1;
    HostSegment& segment = *group.segment;
    if (group.processOf.front() != options.topology.thisProcess)
        return group.await(segment.relayed(), kConnected, 0, deadline);
    if (groups.size() > 1) {
        if (auto joined = connectGroups(options, groups, group, deadline); !joined) {
            group.giveUp({GroupFailure::Kind::PeerLost});
            return joined;
        }
    }
    segment.announce(segment.relayed(), kConnected);
    return {};
}

ReplicaGroup describeGroup(const CommunicatorOptions& options,
                           const std::vector<PlannedGroup>& groups, std::size_t rank) {
    ReplicaGroup group;
    group.replicas = groups[rank].seen.replicas;
    for (const int replica : group.replicas)
        group.processOf.push_back(options.topology.processOf(replica));
    group.topology = options.topology;
    group.layout = options.layout;
    group.backend = options.backend.empty() ? backendOf(options.topology, groups) : options.backend;
    group.timeout = options.timeout;
    const auto replicas = options.topology.replicasOfHost(groups[rank].seen.host).size();
    group.policy = WaitPolicy::forWaiters(
        options.hostReplicas > 0 ? options.hostReplicas : static_cast<int>(replicas),
        availableProcessors());
    for (const PlannedGroup& one : groups) {
        group.groups.push_back(one.seen);
        group.groups.back().name = options.topology.nameOfReplica(one.seen.replicas.front());
    }
    group.rank = static_cast<int>(rank);
    return group;
}

/// `fd` is not among it.
SegmentShape shapeOf(const CommunicatorOptions& options, const PlannedGroup& group,
                     std::size_t groups) {
    std::vector<int> names;
    for (const int process : group.processes)
        names.push_back(options.topology.nameOfProcess(process));
    return {.parameters = options.layout.parameters,
            .moments = options.layout.moments,
            .replicas = group.seen.replicas,
            .processes = group.processes,
            .worldReplicas = options.topology.replicaCount(),
            .exchanges = groups > 1,
            .fingerprint = fingerprintOf(options),
            .thisProcess = options.topology.thisProcess,
            .processNames = std::move(names),
            .fdOffset = options.segmentOffset,
            .gatherWords = options.gatherWords};
}

}  // namespace

std::string backendFor(const Topology& topology, TransportChoice transport) {
    return backendOf(topology, planGroups(topology, transport));
}

std::size_t segmentBytes(const CommunicatorOptions& options, int host) {
    const auto groups = planGroups(options.topology, options.transport);
    std::size_t bytes = 0;
    for (const PlannedGroup& one : groups)
        if (one.seen.host == host && one.processes.size() > 1)
            bytes += HostSegment::bytesOf(shapeOf(options, one, groups.size()));
    return bytes;
}

Result<std::vector<std::unique_ptr<Communicator>>> makeCommunicators(
    const CommunicatorOptions& options) {
    const Nanos deadline = SteadyClock::read() + options.timeout;
    const Topology& topology = options.topology;
    TRY(topology.check());
    TRY(checkLayout(options.layout));
    const std::vector<PlannedGroup> groups = planGroups(topology, options.transport);
    const auto own = std::find_if(groups.begin(), groups.end(), [&](const PlannedGroup& one) {
        return std::count(one.processes.begin(), one.processes.end(), topology.thisProcess) > 0;
    });
    TRY(checkTransport(options, groups, *own));

    auto group = std::make_shared<ReplicaGroup>(
        describeGroup(options, groups, static_cast<std::size_t>(own - groups.begin())));
    SegmentShape shape = shapeOf(options, *own, groups.size());
    if (own->processes.size() > 1) shape.fd = options.segmentFd;
    auto segment = HostSegment::open(shape, deadline);
    if (!segment) {
        if (group->exchanges() && own->processes.front() == topology.thisProcess)
            std::ignore = options.store->set(modelKey(options, group->rank),
                                             kNotStarted);  // Else the others wait out their time.
        return fail(segment.error());
    }
    group->segment = std::move(*segment);
    TRY(joinGroups(options, groups, *group, deadline));

    std::vector<std::unique_ptr<Communicator>> communicators;
    for (int index = 0; index < group->size(); ++index)
        if (group->processOf[static_cast<std::size_t>(index)] == topology.thisProcess)
            communicators.push_back(std::make_unique<HostCommunicator>(group, index));
    return communicators;
}

}  // namespace lockstep::collective
