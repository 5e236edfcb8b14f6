// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/gpu_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"

namespace lockstep::train {

namespace {

/// The first GPU that two replicas share, in words; empty when each has its own.
std::string sharedGpu(const std::vector<ProcessGpus>& processes) {
    std::map<std::string, std::size_t> owner;
    for (std::size_t process = 0; process < processes.size(); ++process)
        for (const std::string& uuid : processes[process].uuids) {
            const auto [found, fresh] = owner.emplace(uuid, process);
            if (fresh) continue;
            if (found->second == process)
                return fmt::format("two replicas of process {} share the GPU {}", process, uuid);
            return fmt::format("processes {} and {} share the GPU {}", found->second, process,
                               uuid);
        }
    return {};
}

Result<GpuChoice> onCpu(const config::ClusterSpec& cluster, std::size_t process,
                        const std::string& sentence) {
    if (cluster.device == config::DeviceKind::Gpu)
        return fail(ErrorCode::BadInput,
                    fmt::format("cluster.device = \"gpu\": process {}: {}", process, sentence),
                    "Use cluster.device = \"auto\" or \"cpu\".");
    if (cluster.transport == config::Transport::Nccl)
        return fail(ErrorCode::BadInput,
                    fmt::format("cluster.transport = \"nccl\" sums gradients on GPUs, and process "
                                "{} has none to use: {}",
                                process, sentence),
                    "Use cluster.transport = \"auto\", \"shm\" or \"gloo\".");
    GpuChoice choice;
    choice.note = fmt::format("computing on the CPU: {}", sentence);
    return choice;
}

/// GPUs compute; sums and updates, and what else a step takes, are the host's.
Result<GpuChoice> summedOnHost(const config::ClusterSpec& cluster, const std::string& reason) {
    if (cluster.transport == config::Transport::Nccl)
        return fail(ErrorCode::BadInput,
                    fmt::format("cluster.transport = \"nccl\" leaves whole steps to the GPUs, and "
                                "{}: the host takes part in each",
                                reason),
                    "Use cluster.transport = \"auto\", \"shm\" or \"gloo\".");
    GpuChoice choice;
    choice.gpu = true;
    choice.note = fmt::format("GPUs compute, the host takes part in each step: {}", reason);
    return choice;
}

}  // namespace

Result<GpuChoice> decideGpus(const config::ClusterSpec& cluster,
                             const std::vector<ProcessGpus>& processes, const std::string& beyond) {
    for (std::size_t process = 0; process < processes.size(); ++process)
        if (!processes[process].usable) return onCpu(cluster, process, processes[process].sentence);
    GpuChoice choice;
    choice.gpu = true;
    const bool byHost =
        cluster.transport == config::Transport::Shm || cluster.transport == config::Transport::Gloo;
    if (byHost) return choice;
    if (!beyond.empty()) return summedOnHost(cluster, beyond);
    const std::string shared = sharedGpu(processes);
    if (shared.empty()) {
        choice.nccl = true;
        return choice;
    }
    if (cluster.transport == config::Transport::Nccl)
        return fail(ErrorCode::BadInput,
                    fmt::format("{}, and NCCL refuses a GPU that is used twice", shared),
                    "Start as many processes as there are GPUs, or use cluster.transport = "
                    "\"gloo\": it sums on the host.");
    choice.note = fmt::format("{}: gradients are summed on the host instead of by NCCL", shared);
    return choice;
}

Result<GpuChoice> decideGpus(const config::ClusterSpec& cluster, const wire::Welcome& roster,
                             const std::string& beyond) {
    if (cluster.device == config::DeviceKind::Cpu) {
        if (cluster.transport != config::Transport::Nccl) return GpuChoice{};
        return onCpu(cluster, 0, "cluster.device is \"cpu\"");
    }
    // Where one has none, nobody was given any: it is the one to be named.
    for (const wire::Member& member : roster.members())
        if (!member.without_gpus().empty())
            return onCpu(cluster, member.process_id(), member.without_gpus());
    std::vector<ProcessGpus> processes;
    for (const wire::Member& member : roster.members()) {
        ProcessGpus gpus{true, {}, {}};
        for (const wire::Device& device : member.devices())
            if (device.type() == "gpu") gpus.uuids.push_back(device.uuid());
        if (gpus.uuids.empty()) return onCpu(cluster, member.process_id(), "it registered no GPU");
        processes.push_back(std::move(gpus));
    }
    return decideGpus(cluster, processes, beyond);
}

std::vector<int> gpusOf(const wire::Welcome& roster, std::size_t process) {
    std::vector<int> gpus;
    for (const wire::Device& device : roster.members(static_cast<int>(process)).devices())
        if (device.type() == "gpu") gpus.push_back(static_cast<int>(device.local_id()));
    return gpus;
}

}  // namespace lockstep::train
