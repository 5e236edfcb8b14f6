// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/base/file.h"
#include "core/base/thread.h"
#include "core/collective/make_communicators.h"
#include "core/data/digits.h"
#include "core/program/job_network.h"
#include "core/train/checkpoints/start_point.h"
#include "core/train/replica/replica_loop.h"
#include "tests/support/memory_store.h"

// A small job that trains for real: digits, a dense network, any grouping of replicas. Processes
// are threads here; everything else is what workers use.
namespace lockstep::tests {

inline std::shared_ptr<const data::Split> digitsFrom(std::uint32_t first, std::uint32_t count) {
    return std::make_shared<const data::Split>(data::generateDigits(first, count, 2));
}

inline data::Dataset smallDigits(std::uint32_t train = 2000, std::uint32_t validation = 300,
                                 std::uint32_t test = 300) {
    data::Dataset data;
    data.train = digitsFrom(0, train);
    data.validation = digitsFrom(30'000, validation);
    data.test = digitsFrom(60'000, test);
    data.facts = {.input = data.train->shape, .classes = 10};
    for (int digit = 0; digit < 10; ++digit)
        data.classNames.push_back(std::to_string(digit));
    data.fingerprint = "00112233445566778899aabbccddeeff";
    return data;
}

inline config::ModelSpec dense(std::vector<int> hidden) {
    config::ModelSpec model;
    for (const int units : hidden)
        model.layers.push_back({.units = units, .activation = config::Activation::Relu});
    model.layers.push_back({.units = 10});
    return model;
}

inline config::JobSpec smallSpec(std::vector<int> hidden) {
    config::JobSpec job;
    job.name = "small";
    job.model = dense(std::move(hidden));
    job.training.globalBatchSize = 32;
    job.training.seed = 1;
    return job;
}

struct SmallJob {
    config::JobSpec job;
    data::Dataset data;
    program::Network network;
    optim::Optimizer optimizer;
    train::Objective objective;

    SmallJob(const config::JobSpec& spec, data::Dataset dataset)
        : job(spec),
          data(std::move(dataset)),
          network(program::makeNetwork(spec.model, data.facts, spec.training.loss).value()),
          optimizer(optim::Optimizer::make(spec.training).value()),
          objective(train::Objective::make(spec.training, data).value()) {}
};

/// Events as they come; `onCheckpoint` may do more.
struct RecordedEvents final : train::RunEvents {
    std::vector<wire::RunState> states;
    std::vector<wire::EpochResult> epochs;
    std::vector<std::int64_t> checkpoints;
    std::int64_t lastCheckpoint = -1;  ///< The one that was said to be the last.
    std::vector<std::string> notices;
    std::map<std::string, std::map<std::int64_t, double>> series;  ///< Named figures by step.
    std::string stopSentence;
    std::function<void(wire::RunState)> onState;
    std::function<void(const checkpoint::Snapshot&)> onCheckpoint;  ///< In place of the copy.
    std::function<void(const checkpoint::Snapshot&)> onKept;        ///< All have agreed on it.
    std::function<Result<checkpoint::LoadedCheckpoint>(std::int64_t)> onBest;

    void stateChanged(wire::RunState state, const std::string& /*sentence*/) override {
        states.push_back(state);
        if (onState) onState(state);
    }
    void epochEnded(const wire::EpochResult& result) override { epochs.push_back(result); }
    void figure(std::string_view name, std::int64_t step, double value) override {
        series[std::string(name)][step] = value;
    }
    void stoppedEarly(const std::string& sentence) override { stopSentence = sentence; }
    [[nodiscard]] Result<checkpoint::LoadedCheckpoint> bestCheckpoint(std::int64_t step) override {
        return onBest ? onBest(step) : fail(ErrorCode::NotFound, "nothing is kept");
    }
    void notice(const std::string& sentence) override { notices.push_back(sentence); }
    void checkpoint(const checkpoint::Snapshot& snapshot, bool isLast,
                    const checkpoint::CopyCheck& isRight) override {
        if (onCheckpoint) onCheckpoint(snapshot);
        if (const auto right = isRight(); !right) return;
        if (onKept) onKept(snapshot);
        checkpoints.push_back(snapshot.state.step);
        if (isLast) lastCheckpoint = snapshot.state.step;
    }
};

/// How the job is spread and watched.
struct Spread {
    std::vector<std::vector<int>> hosts{{1}};  ///< Replicas of each process of each host.
    collective::TransportChoice transport = collective::TransportChoice::Auto;
    train::StartPoint start{.seed = 1};  ///< Fresh, or as findStart found it.
    std::int64_t totalSteps = 0;         ///< 0: by the job's epochs.
    train::RunEvents* events = nullptr;
    std::array<std::atomic<bool>, 8> stopRequested{};  ///< By replica.
    /// What a replica is given instead of its own, to be watched. May be empty.
    std::function<collective::Communicator&(collective::Communicator&)> wrap{};
    /// What computes for a replica instead of its device. May be empty.
    std::function<std::unique_ptr<train::ReplicaSteps>(collective::Communicator&,
                                                       const data::BatchPlan&)>
        steps{};
    train::TrainingListener* listener = nullptr;  ///< Of replica 0's process.
    /// Faults of a drill, by replica.
    std::map<int, train::StepFaults*> faults{};
    bool sumsBatches = false;  ///< RunResult::batchSums are wanted.
    /// On a replica's thread, before each of its steps. May be empty.
    std::function<void(collective::Communicator&, std::int64_t step)> meddle{};
    /// Where processes keep their steps, by process. May be empty.
    std::map<int, train::KeptSteps*> kept{};
    /// Of replica 0; lets a test pull the plug from RunEvents.
    collective::Communicator* chief = nullptr;
};

struct RunResult {
    std::vector<Result<train::TrainingOutcome>> outcomes;  ///< By replica, as all that follow.
    std::vector<std::vector<float>> parameters;
    std::vector<std::vector<wire::Record>> records;
    std::vector<telemetry::ReplicaProgressCell::Snapshot> progress;
    std::string backend;
    std::vector<double> losses;  ///< Of every step: mean over the global batch.
    std::map<std::int64_t, std::uint64_t> batchSums;  ///< By step, of the global batch.

    explicit RunResult(std::size_t replicas)
        : outcomes(replicas, fail(ErrorCode::Internal, "did not run")),
          parameters(replicas),
          records(replicas),
          progress(replicas) {}
};

inline collective::Topology topologyOf(const Spread& spread) {
    collective::Topology topology;
    for (std::size_t host = 0; host < spread.hosts.size(); ++host)
        for (const int replicas : spread.hosts[host])
            topology.processes.push_back({static_cast<int>(host), replicas});
    return topology;
}

/// The replicas' own means, weighted by their shares.
inline std::vector<double> globalLosses(const RunResult& result, const data::BatchPlan& batches) {
    std::map<std::uint64_t, double> sums;
    for (std::size_t replica = 0; replica < result.records.size(); ++replica)
        for (const wire::Record& record : result.records[replica])
            for (int i = 0; i < record.steps().loss_size(); ++i) {
                const auto step = record.steps().first_step() + static_cast<std::uint64_t>(i);
                const auto place = static_cast<std::int64_t>(step) - 1;
                const auto share = batches.share(place, static_cast<int>(replica)).count;
                if (share > 0)
                    sums[step] += static_cast<double>(record.steps().loss(i)) * share /
                                  batches.globalBatch(place).count;
            }
    std::vector<double> losses;
    for (const auto& [step, loss] : sums)
        losses.push_back(loss);
    return losses;
}

/// Trains the job in threads of this process: one for each process, and in it one a replica.
class SmallRun {
public:
    SmallRun(const SmallJob& small, Spread& spread)
        : small_(small),
          spread_(spread),
          topology_(topologyOf(spread)),
          batches_(
              data::BatchPlan::make(small.data.train->count,
                                    static_cast<std::uint32_t>(small.job.training.globalBatchSize),
                                    topology_.replicaCount(), spread.start.seed)
                  .value()),
          result_(static_cast<std::size_t>(topology_.replicaCount())) {
        plan_ = train::TrainingPlan::make(small.job, batches_.stepsPerEpoch(), spread.start.seed);
        if (spread.totalSteps > 0) plan_.totalSteps = spread.totalSteps;
        plan_.firstStep = spread.start.step;
        for (const int host : topology_.hosts())
            memories_[host] = UniqueFd(memfd_create("replicas", MFD_CLOEXEC));
    }

    RunResult run() {
        {
            std::vector<std::jthread> processes;
            for (int process = 0; process < topology_.processCount(); ++process)
                processes.emplace_back([this, process] { runProcess(process); });
        }
        result_.losses = globalLosses(result_, batches_);
        return std::move(result_);
    }

private:
    collective::CommunicatorOptions optionsOf(int process) {
        collective::CommunicatorOptions options;
        options.topology = topology_;
        options.topology.thisProcess = process;
        options.transport = spread_.transport;
        options.layout.parameters = small_.network.parameterCount();
        options.layout.buckets =
            collective::planBuckets(small_.network.cuts(), small_.network.parameterCount());
        options.layout.moments = small_.optimizer.momentCount();
        const auto index = static_cast<std::size_t>(process);
        options.segmentFd = memories_.at(topology_.processes[index].host).get();
        options.store = &store_;
        options.prefix = "small/0/";
        options.bindHost = "127.0.0.1";
        options.timeout = std::chrono::seconds(30);
        return options;
    }

    void runProcess(int process) {
        auto communicators = collective::makeCommunicators(optionsOf(process));
        const auto first = static_cast<std::size_t>(topology_.replica(process, 0));
        if (!communicators) {
            result_.outcomes[first] = fail(communicators.error());
            return;
        }
        if (process == 0) {
            spread_.chief = communicators->front().get();
            result_.backend = spread_.chief->backend();
            const auto applied =
                spread_.start.isKept
                    ? Result<void>()
                    : train::applyStart(spread_.start, small_.network, small_.optimizer,
                                        *spread_.chief, statistics_);
            if (!applied) {
                result_.outcomes[0] = fail(applied.error());
                for (const auto& communicator : *communicators)
                    communicator->abort();
                return;
            }
        }
        std::vector<std::jthread> replicas;
        for (const auto& communicator : *communicators)
            replicas.emplace_back([this, one = communicator.get()] {
                runReplica(spread_.wrap ? spread_.wrap(*one) : *one);
            });
    }

    void runReplica(collective::Communicator& communicator) {
        const auto replica = static_cast<std::size_t>(communicator.replica());
        const auto device = tensor::openCpuDevice(communicator.replica());
        telemetry::StepRing ring(static_cast<std::uint32_t>(replica));
        telemetry::ReplicaProgressCell progress;
        const auto steps = spread_.steps ? spread_.steps(communicator, batches_) : nullptr;
        const train::ReplicaSetup setup{
            .job = small_.job,
            .plan = plan_,
            .data = small_.data,
            .batches = batches_,
            .network = small_.network,
            .optimizer = small_.optimizer,
            .objective = small_.objective,
            .device = *device,
            .communicator = communicator,
            .ring = &ring,
            .progress = progress,
            .stopRequested = spread_.stopRequested[replica],
            .steps = steps.get(),
            .events = replica == 0 ? spread_.events : nullptr,
            .epochSoFar = spread_.start.epochSoFar,
            .epochEndDue = spread_.start.epochEndDue,
            .skippedSteps = spread_.start.skippedSteps,
            .resumed = replica == 0 ? spread_.start.resumed() : nullptr,
            .statistics =
                replica == 0 ? std::span<const float>(statistics_) : std::span<const float>(),
            .listener = replica == 0 ? spread_.listener : nullptr,
            .faults = spread_.faults.contains(communicator.replica())
                          ? spread_.faults.at(communicator.replica())
                          : nullptr,
            .batchWatch =
                spread_.sumsBatches || spread_.meddle ? watch(communicator) : train::BatchWatch(),
            .kept = keptOf(communicator.replica()),
            .beginsAtKept = spread_.start.isKept,
            .isFed = std::ranges::count(spread_.start.fed,
                                        topology_.processOf(communicator.replica())) > 0,
            .feeds = !spread_.start.fed.empty(),
        };
        auto loop = train::ReplicaLoop::make(setup);
        auto outcome = loop ? loop->run() : Result<train::TrainingOutcome>(fail(loop.error()));
        if (!outcome) communicator.abort();  // as the worker does
        result_.outcomes[replica] = std::move(outcome);
        const auto parameters = communicator.parameters();
        result_.parameters[replica].assign(parameters.begin(), parameters.end());
        result_.progress[replica] = progress.read();
        ring.drainLast(0, result_.records[replica]);
    }

    train::KeptReplica* keptOf(int replica) const {
        const int process = topology_.processOf(replica);
        if (!spread_.kept.contains(process)) return nullptr;
        return &spread_.kept.at(process)->replica(replica - topology_.replica(process, 0));
    }

    train::BatchWatch watch(collective::Communicator& communicator) {
        return [this, &communicator](std::int64_t step, std::uint64_t sum) {
            if (spread_.meddle) spread_.meddle(communicator, step);
            const std::lock_guard lock(sumsMutex_);
            result_.batchSums[step] += sum;
        };
    }

    const SmallJob& small_;
    Spread& spread_;
    std::mutex sumsMutex_;
    const collective::Topology topology_;
    const data::BatchPlan batches_;
    train::TrainingPlan plan_;
    MemoryStore store_;
    std::vector<float> statistics_ = std::vector<float>(small_.network.statisticsCount());
    std::map<int, UniqueFd> memories_;
    RunResult result_;
};

inline RunResult trainSmall(const SmallJob& small, Spread& spread) {
    return SmallRun(small, spread).run();
}

}  // namespace lockstep::tests
