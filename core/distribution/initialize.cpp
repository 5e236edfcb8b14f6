// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/initialize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>

#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/config/document/effective_cluster.h"
#include "core/config/job/cluster_spec.h"
#include "core/distribution/job_secret.h"
#include "core/distribution/local_devices.h"
#include "core/distribution/process_state.h"

namespace lockstep::distribution {

namespace {

template <typename T>
config::Said<T> said(T value, const char* name) {
    return config::Sourced<T>{std::move(value), {config::OriginKind::Argument, name}};
}

Result<void> checkTimes(const InitializeOptions& options) {
    const auto positive = [](double seconds, const char* name) -> Result<void> {
        if (seconds > 0 && seconds <= 1e6) return {};
        return fail(ErrorCode::BadInput,
                    fmt::format("{} must be a positive number of seconds. Got {}", name, seconds));
    };
    auto checked = positive(options.initializationTimeoutSeconds, "initialization_timeout");
    if (checked) checked = positive(options.heartbeatTimeoutSeconds, "heartbeat_timeout_seconds");
    if (checked) checked = positive(options.shutdownTimeoutSeconds, "shutdown_timeout_seconds");
    return checked;
}

Result<void> checkDeviceIds(const InitializeOptions& options) {
    if (!options.localDeviceIds) return {};
    std::vector<int> ids = *options.localDeviceIds;
    std::ranges::sort(ids);
    const bool distinct = std::ranges::adjacent_find(ids) == ids.end();
    if (!ids.empty() && ids.front() >= 0 && distinct) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("local_device_ids must be different nonnegative numbers. Got {} of "
                            "them{}",
                            ids.size(),
                            ids.empty()       ? ""
                            : ids.front() < 0 ? fmt::format(", one of which is {}", ids.front())
                                              : ", one of which is there twice"));
}

Result<config::ClusterFacts> argumentsOf(const InitializeOptions& options) {
    config::ClusterFacts facts;
    if (options.jobAddresses) {
        auto addresses = config::parseAddresses(*options.jobAddresses);
        if (!addresses) return failWithin("job_addresses", addresses.error());
        facts.jobAddresses = said(std::move(*addresses), "job_addresses");
    }
    if (options.coordinatorAddress) {
        auto address = config::parseAddress(*options.coordinatorAddress);
        if (!address) return failWithin("coordinator_address", address.error());
        facts.coordinatorAddress = said(std::move(*address), "coordinator_address");
    }
    if (options.numProcesses) facts.numProcesses = said(*options.numProcesses, "num_processes");
    if (options.processId) facts.processId = said(*options.processId, "process_id");
    if (options.localDeviceIds)
        facts.localDeviceIds = said(*options.localDeviceIds, "local_device_ids");
    if (options.coordinatorBindAddress)
        facts.coordinatorBindAddress =
            said(*options.coordinatorBindAddress, "coordinator_bind_address");
    if (options.partitionIndex && options.sliceIndex &&
        *options.partitionIndex != *options.sliceIndex)
        return fail(ErrorCode::BadInput,
                    fmt::format("partition_index is {} and slice_index, its deprecated name, is {}",
                                *options.partitionIndex, *options.sliceIndex),
                    "Give partition_index alone.");
    if (options.sliceIndex) {
        std::fprintf(stderr, "warning: slice_index is deprecated: say partition_index\n");
        facts.partitionIndex = said(*options.sliceIndex, "slice_index");
    }
    if (options.partitionIndex)
        facts.partitionIndex = said(*options.partitionIndex, "partition_index");
    return facts;
}

/// Proxies have made many a start hang without a word; ours do not use them, but say so.
void warnOfProxies(const Environment& environment) {
    std::vector<std::string> names;
    for (const auto& [name, value] : environment.all()) {
        std::string lower = name;
        std::ranges::transform(lower, lower.begin(),
                               [](unsigned char c) { return std::tolower(c); });
        if (lower.find("_proxy") != std::string::npos) names.push_back(name);
    }
    if (names.empty()) return;
    std::fprintf(stderr,
                 "warning: proxy variable(s) in the environment of a distributed job: %s. The "
                 "connections of this job do not use them\n",
                 joinWords(names).c_str());
}

/// A launcher's one device a process is about GPUs; on the CPU a process has what it says.
int cpuDevicesOf(const config::ClusterFacts& cluster, const GpuWish& wish) {
    if (!wish.chosen.empty()) return static_cast<int>(wish.chosen.size());
    if (cluster.devicesPerProcess) return cluster.devicesPerProcess->value;
    return ProcessState::instance().cpuDevices();
}

/// What this process brings along.
Result<wire::Register> registrationOf(const config::ClusterFacts& cluster) {
    GpuWish wish;
    if (const auto& ids = cluster.localDeviceIds) {
        const bool detected = ids->origin.kind == config::OriginKind::Detection;
        (detected ? wish.byLauncher : wish.chosen) = ids->value;
    }
    const int cpus = cpuDevicesOf(cluster, wish);
    wire::Register self;
    self.set_replicas(static_cast<std::uint32_t>(cpus));
    TRY(addDevices(ProcessState::instance().gpuSupport(), wish, cpus, true, self));
    return self;
}

}  // namespace

Result<void> initialize(const InitializeOptions& options) {
    ProcessState& state = ProcessState::instance();
    if (state.group())
        return fail(ErrorCode::BadInput, "distributed.initialize should only be called once.",
                    "Call shutdown() before, to form another group.");
    if (state.devicesUsed())
        return fail(ErrorCode::BadInput,
                    "initialize() must be called before anything that uses devices. This includes "
                    "listDevices(), deviceCount(), meshes, distributions and strategies",
                    "Make it the first call of main().");
    auto checked = checkTimes(options);
    if (checked) checked = checkDeviceIds(options);
    if (!checked) return checked;
    auto arguments = TRY(argumentsOf(options));
    const Environment environment = options.environment.value_or(Environment::ofThisProcess());
    auto cluster =
        TRY(config::resolveCluster(arguments, {}, environment, options.clusterDetectionMethod));
    if (cluster.numProcesses->value > 1) warnOfProxies(environment);
    auto secret = TRY(readJobSecret(options, environment));
    const auto self = TRY(registrationOf(cluster));
    auto group = TRY(ProcessGroup::form(options, std::move(cluster), std::move(secret), self));
    state.setGroup(std::move(group));
    return {};
}

bool isInitialized() {
    return ProcessState::instance().group() != nullptr;
}

Result<void> shutdown() {
    ProcessState& state = ProcessState::instance();
    const auto group = state.group();
    if (!group) return {};
    auto done = group->shutdown();
    state.setGroup(nullptr);
    return done;
}

int processId() {
    const auto group = ProcessState::instance().group();
    return group ? group->processId() : 0;
}

int processCount() {
    const auto group = ProcessState::instance().group();
    return group ? group->processCount() : 1;
}

std::uint64_t agreedSeed() {
    static const std::uint64_t ownSeed = newIncarnation() >> 1;
    const auto group = ProcessState::instance().group();
    return group ? group->seed() : ownSeed;
}

}  // namespace lockstep::distribution
