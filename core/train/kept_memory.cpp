// SPDX-License-Identifier: Apache-2.0
#include "core/train/kept_memory.h"

#include <fmt/format.h>

#include <map>

#include "core/base/hash.h"
#include "core/base/try.h"
#include "core/train/checkpoints/kept_start.h"
#include "core/train/worker.h"

namespace lockstep::train {

namespace {

/// For the others to look at all that they have kept.
constexpr std::chrono::seconds kOffersTimeout{300};

/// Whose shares are whose follows from which processes share memory.
std::string groupingOf(const collective::Topology& topology) {
    std::map<int, std::size_t> hosts;  // in the order of the processes, however they came
    std::string text;
    for (const collective::Process& process : topology.processes) {
        const auto host = hosts.try_emplace(process.host, hosts.size()).first->second;
        text += fmt::format("{}:{} ", host, process.replicas);
    }
    return text;
}

bool beginsAgain(const wire::WorkerConfig& config) {
    return config.generation() > 0 || config.restarts() > 0;
}

std::string fromDisk(const std::string& why) {
    return fmt::format(
        "no step that was kept in memory can be gone on from: {}; the run goes on from "
        "its newest checkpoint, or from its beginning where it has none",
        why);
}

}  // namespace

Result<std::unique_ptr<KeptSteps>> openKeptSteps(const wire::WorkerConfig& config,
                                                 const JobContext& context,
                                                 const collective::Topology& topology) {
    if (config.kept_fd() <= 0) return nullptr;
    const std::size_t parameters = context.network.parameterCount();
    const std::string identity =
        fmt::format("{}\n{}\n{}\n{}\n{}\n{}", config.run_id(), buildId(), config.process_id(),
                    context.data.fingerprint, groupingOf(topology), config.job_toml());
    return KeptSteps::open(
        config.kept_fd(),
        {.parameters = parameters,
         .moments = context.optimizer.momentCount(),
         .statistics = context.network.statisticsCount(),
         .metrics = context.objective.metrics().size(),
         .buckets = collective::planBuckets(context.network.cuts(), parameters).size(),
         .replicas = context.job.cluster.localReplicas(),
         .fingerprint = shortHash(identity) | 1});
}

Result<void> giveUpKeptSteps(std::unique_ptr<KeptSteps>& kept, bool isStart) {
    if (isStart) {
        kept->distrust("its replicas computed on the CPU before, and find GPUs now");
        return fail(ErrorCode::Unavailable,
                    "steps that CPUs kept in memory cannot be gone on from on GPUs",
                    "Set cluster.device to \"cpu\", or launch.on_failure to \"restart\".");
    }
    kept.reset();
    return {};
}

std::string notKeptText(bool isOnGpus) {
    return fmt::format(
        "no steps are kept in memory (launch.on_failure = \"regroup\"): {}; when a "
        "process is lost, the run goes on from its newest checkpoint",
        isOnGpus ? "what lies on GPUs is not kept yet"
                 : "this program has no agent that would hold them");
}

Result<void> offerKeptSteps(const wire::WorkerConfig& config, const KeptSteps* kept,
                            collective::Store& store) {
    if (kept == nullptr || config.generation() == 0) return {};
    return announceKept(store, static_cast<int>(config.process_id()), offerOf(*kept));
}

Result<std::optional<StartPoint>> startOfKeptSteps(const wire::WorkerConfig& config,
                                                   const JobContext& context, KeptSteps* kept,
                                                   collective::Store& store,
                                                   std::vector<std::string>& notices) {
    if (kept == nullptr || !beginsAgain(config)) return std::nullopt;
    if (config.generation() == 0) {
        notices.push_back(fromDisk("the agent that held them was lost"));
        return std::nullopt;
    }
    const auto choice = TRY(chooseKept(store, static_cast<int>(config.num_processes()),
                                       offerOf(*kept), kOffersTimeout));
    if (choice.step == 0) {
        notices.push_back(fromDisk(choice.why));
        return std::nullopt;
    }
    auto start = startOfKept(kept->replica(0), choice.step, context.data);
    if (start) return *std::move(start);
    notices.push_back(fromDisk(start.error().message));
    return std::nullopt;
}

}  // namespace lockstep::train
