// SPDX-License-Identifier: Apache-2.0
#include "core/train/kept_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "core/base/hash.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/config/document/job_file.h"
#include "core/telemetry/journal.h"
#include "core/telemetry/journal_walk.h"
#include "core/telemetry/journalled_steps.h"
#include "core/train/checkpoints/kept_start.h"
#include "core/train/connection.h"
#include "core/train/registration.h"
#include "core/train/worker.h"

namespace lockstep::train {

namespace {

/// For the others to look at all that they have kept.
constexpr std::chrono::seconds kOffersTimeout{300};

/// What the job computes, wherever its processes are: a spare may have taken a host's place.
std::string placelessToml(config::JobSpec job) {
    job.cluster.jobAddresses.clear();
    job.cluster.evaluatorAddress.reset();
    job.launch.hosts.clear();
    job.launch.spares.clear();
    return config::resolvedToml(job);
}

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
        fmt::format("{}\n{}\n{}\n{}\n{}", buildId(), config.process_id(), context.data.fingerprint,
                    groupingOf(topology), placelessToml(context.job));
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

std::string goesOnText(const StartPoint& start) {
    if (start.fed.empty())
        return fmt::format("going on from step {}, which all processes have kept in memory",
                           start.step);
    const bool isOne = start.fed.size() == 1;
    return fmt::format(
        "going on from step {}, which process 0's host has kept in memory: {} {} {} lost it, and "
        "{} given it from there",
        start.step, nounFor(start.fed.size(), "process"), compressRanges(start.fed),
        isOne ? "has" : "have", isOne ? "is" : "are");
}

namespace {

/// A run that begins again under other agents finds its steps where somebody has held them.
std::string whyNone(const wire::WorkerConfig& config, const KeptSteps& kept) {
    return config.generation() == 0 && kept.lineage() == 0 && kept.trouble().empty()
               ? "the agent that held them was lost, and what it held with it"
               : "";
}

KeptFeeding feedingOf(const JobContext& context, const collective::Topology& topology) {
    KeptFeeding feeding;
    feeding.source = transportOf(context.job.cluster) == collective::TransportChoice::Gloo
                         ? std::vector<int>{0}
                         : topology.processesOfHost(topology.processes.front().host);
    if (context.network.hasLocalStatistics())
        feeding.whyNot =
            "the statistics of its batch normalisation, which each replica keeps for itself, are "
            "lost with it";
    else if (context.job.earlyStopping.monitor == config::Monitor::TrainMetric)
        feeding.whyNot =
            "its part of the epoch's training metrics, which early stopping looks at, "
            "is lost with it";
    return feeding;
}

/// By replica, the newest step that the run's journal has. Empty: it cannot be read.
std::vector<std::int64_t> newestInJournal(const wire::WorkerConfig& config, int replicas) {
    telemetry::JournalledSteps steps(0);
    const auto reader =
        telemetry::JournalReader::open(std::filesystem::path(config.run_dir()) / "journal");
    if (!reader) return {};
    const auto read =
        telemetry::forEachRecord(*reader, [&](const wire::Record& record, std::uint64_t) {
            steps.take(record);
            return Result<void>();
        });
    return read ? steps.newest(static_cast<std::size_t>(replicas)) : std::vector<std::int64_t>();
}

/// By replica, the newest step that the run's journal has: as its coordinator has counted, but of
/// lives that it has not seen, whose steps the file has had since.
std::vector<std::int64_t> journalledSteps(const wire::WorkerConfig& config,
                                          const wire::Welcome& welcome, int replicas) {
    const auto& counted = welcome.journalled_steps();
    std::vector<std::int64_t> steps(counted.begin(), counted.end());
    const bool isWhole = std::ranges::count(steps, telemetry::JournalledSteps::kUnknown) == 0;
    if (isWhole && std::cmp_equal(steps.size(), replicas)) return steps;
    const std::vector<std::int64_t> inFile = newestInJournal(config, replicas);
    steps.resize(inFile.size(), telemetry::JournalledSteps::kUnknown);
    for (std::size_t one = 0; one < inFile.size(); ++one)
        if (steps[one] == telemetry::JournalledSteps::kUnknown) steps[one] = inFile[one];
    return steps;
}

/// LATEST's; 0: there is none that can be read.
std::int64_t newestOnDisk(const wire::WorkerConfig& config) {
    const auto store =
        checkpoint::CheckpointStore::open(std::filesystem::path(config.run_dir()) / "checkpoints",
                                          checkpoint::CheckpointStore::Access::Read);
    return store ? store->latest().value_or(0) : 0;
}

}  // namespace

Result<void> offerKeptSteps(const wire::WorkerConfig& config, const KeptSteps* kept,
                            collective::Store& store) {
    if (kept == nullptr) return {};
    return announceKept(store, static_cast<int>(config.process_id()), offerOf(*kept));
}

Result<std::optional<StartPoint>> startOfKeptSteps(const wire::WorkerConfig& config,
                                                   const JobContext& context, KeptSteps* kept,
                                                   Member& member,
                                                   std::vector<std::string>& notices) {
    if (kept == nullptr || !beginsAgain(config)) return std::nullopt;
    const auto refuse = [&](const std::string& why) {
        notices.push_back(fromDisk(why));
        return std::nullopt;
    };
    if (const std::string why = whyNone(config, *kept); !why.empty()) return refuse(why);
    const auto topology = topologyOf(member.welcome(), config.process_id());
    auto choice = TRY(chooseKept(member, topology.processCount(), offerOf(*kept), kOffersTimeout,
                                 feedingOf(context, topology)));
    if (choice.step == 0) return refuse(choice.why);
    if (const std::int64_t newer = newestOnDisk(config); newer > choice.step)
        return refuse(fmt::format("the newest of them is {}, and there is a checkpoint of step {}",
                                  choice.step, newer));
    auto start = startOfKept(kept->replica(0), choice.step, context.data);
    if (!start) return refuse(start.error().message);
    start->fed = std::move(choice.fed);
    start->keptLineage = kept->lineage();
    start->journalled = journalledSteps(config, member.welcome(), topology.replicaCount());
    if (!start->fed.empty() && !context.objective.metrics().metrics().empty())
        notices.push_back(fmt::format(
            "the training metrics of the epoch that step {} is in are not known: the part of {} {} "
            "is lost",
            start->step, nounFor(start->fed.size(), "process"), compressRanges(start->fed)));
    return *std::move(start);
}

void goOnFrom(const StartPoint& start, std::uint32_t process, KeptSteps& kept) {
    kept.keepOnly(start.keptStep(process), start.keptLineage, start.step);
}

}  // namespace lockstep::train
