// SPDX-License-Identifier: Apache-2.0
#include "core/launch/agent/replica_count.h"

#include <algorithm>

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/coordination/ticket/meeting_place.h"
#include "core/run/run_files.h"

namespace lockstep::launch {

namespace {

constexpr std::size_t kMostJobBytes = std::size_t{64} << 20;

/// 0: the run was begun with none that is known.
int replicasOfFormerStart(const wire::AgentConfig& config) {
    const run::RunPaths places{config.run_dir()};
    const auto toml = readFile(places.job(), kMostJobBytes);
    if (!toml) return 0;
    const auto document = config::JobDocument::parse(*toml, "the run's job.toml");
    return document ? document->spec().cluster.devicesPerProcess : 0;
}

}  // namespace

int replicasOfAll(const config::ClusterSpec& cluster, const tensor::GpuSupport& support,
                  const wire::DeviceChoice& choice, int here) {
    if (!support.usable()) return 1;
    const bool placed = choice.by_launcher() && cluster.localDeviceIds.empty();
    if (placed) return 1;
    if (choice.local_ids_size() > 0 && !choice.by_launcher()) return choice.local_ids_size();
    const std::size_t gpus =
        cluster.localDeviceIds.empty() ? support.devices.size() : cluster.localDeviceIds.size();
    return std::max(static_cast<int>(gpus) / std::max(here, 1), 1);
}

Result<config::JobSpec> withCountedReplicas(config::JobSpec job, const wire::AgentConfig& config) {
    config::ClusterSpec& cluster = job.cluster;
    if (cluster.devicesPerProcess != config::ClusterSpec::kAllDevices ||
        job.launch.runsOwnProgram())
        return job;
    if (config.resume()) cluster.devicesPerProcess = replicasOfFormerStart(config);
    if (cluster.devicesPerProcess < 1) {
        const int most = job.training.globalBatchSize / std::max(cluster.numProcesses, 1);
        tensor::GpuSupport support;
        if (cluster.device != config::DeviceKind::Cpu) support = tensor::findGpuSupport();
        const int gpus = replicasOfAll(
            cluster, support, config.device_choice(),
            std::max(static_cast<int>(config.processes_here()), config.process_ids_size()));
        cluster.devicesPerProcess = std::clamp(gpus, 1, std::max(most, 1));
    }
    auto document = TRY(config::JobDocument::parse(config::resolvedToml(job), "job.toml"));
    return document.checked();
}

wire::DeviceChoice deviceChoiceOf(const config::ClusterFacts& cluster) {
    wire::DeviceChoice choice;
    const auto& ids = cluster.localDeviceIds;
    if (!ids || ids->origin.kind == config::OriginKind::JobFile) return choice;
    for (const int id : ids->value)
        choice.add_local_ids(static_cast<std::uint32_t>(id));
    choice.set_by_launcher(ids->origin.kind == config::OriginKind::Detection);
    return choice;
}

int processesBesideProcess0(const config::ClusterFacts& cluster) {
    if (coordination::onOneHost(cluster)) return cluster.numProcesses->value;
    if (cluster.hosts && !cluster.hosts->value.empty())
        return static_cast<int>(
            std::ranges::count(cluster.hosts->value, cluster.hosts->value.front()));
    if (!cluster.jobAddresses) return 1;
    const auto& addresses = cluster.jobAddresses->value;
    return static_cast<int>(
        std::ranges::count(addresses, addresses.front().host, &config::Address::host));
}

}  // namespace lockstep::launch
