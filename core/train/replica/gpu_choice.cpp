// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/gpu_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/base/text.h"

namespace lockstep::train {

namespace {

constexpr const char* kNone = "none:";
constexpr const char* kHas = "gpus:";

std::string toText(const ProcessGpus& mine) {
    if (!mine.usable) return kNone + sanitizeLine(mine.sentence, 400);
    std::string text = kHas;
    for (const std::string& uuid : mine.uuids)
        text += uuid + ",";
    return text;
}

Result<ProcessGpus> fromText(int process, const std::string& text) {
    ProcessGpus theirs;
    if (text.starts_with(kNone)) {
        theirs.sentence = text.substr(std::string_view(kNone).size());
        return theirs;
    }
    if (!text.starts_with(kHas))
        return fail(ErrorCode::Corrupt,
                    fmt::format("process {} described its GPUs in an unknown form", process));
    theirs.usable = true;
    std::size_t begin = std::string_view(kHas).size();
    for (std::size_t end = 0; (end = text.find(',', begin)) != std::string::npos; begin = end + 1)
        theirs.uuids.push_back(text.substr(begin, end - begin));
    return theirs;
}

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
    choice.note =
        fmt::format("GPUs compute, the host sums gradients and updates weights: {}", reason);
    return choice;
}

}  // namespace

std::vector<int> gpusOf(const collective::Topology& topology, std::size_t gpus) {
    std::vector<int> mine;
    if (gpus == 0) return mine;
    const int host = topology.processes[static_cast<std::size_t>(topology.thisProcess)].host;
    const std::vector<int> onHost = topology.replicasOfHost(host);
    for (std::size_t place = 0; place < onHost.size(); ++place)
        if (topology.processOf(onHost[place]) == topology.thisProcess)
            mine.push_back(static_cast<int>(place % gpus));
    return mine;
}

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

Result<GpuChoice> agreeOnGpus(const config::ClusterSpec& cluster,
                              const collective::Topology& topology,
                              const tensor::GpuSupport& support, collective::Store& store,
                              const std::string& prefix, Nanos timeout, const std::string& beyond) {
    if (cluster.device == config::DeviceKind::Cpu) {
        const bool nccl = cluster.transport == config::Transport::Nccl;
        if (!nccl) return GpuChoice{};
        return onCpu(cluster, static_cast<std::size_t>(topology.thisProcess),
                     "cluster.device is \"cpu\"");
    }
    ProcessGpus mine{support.usable(), support.sentence, {}};
    for (const int gpu : gpusOf(topology, mine.usable ? support.devices.size() : 0))
        mine.uuids.push_back(support.devices[static_cast<std::size_t>(gpu)].uuid);
    if (topology.processCount() == 1) return decideGpus(cluster, {mine}, beyond);

    const Nanos deadline = SteadyClock::read() + timeout;
    const auto key = [&](int process) { return fmt::format("{}/gpus/{}", prefix, process); };
    if (auto told = store.set(key(topology.thisProcess), toText(mine)); !told)
        return fail(std::move(told).error());
    std::vector<ProcessGpus> all;
    for (int process = 0; process < topology.processCount(); ++process) {
        const auto text =
            store.get(key(process), std::max(deadline - SteadyClock::read(), Nanos(1)));
        if (!text)
            return failWithin(fmt::format("waiting for process {}'s GPUs", process), text.error());
        auto theirs = fromText(process, *text);
        if (!theirs) return fail(std::move(theirs).error());
        all.push_back(std::move(*theirs));
    }
    return decideGpus(cluster, all, beyond);
}

}  // namespace lockstep::train
