// SPDX-License-Identifier: Apache-2.0
#include "core/train/worker.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <filesystem>
#include <tuple>

#include "core/base/plural.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/config/job/cluster_spec.h"
#include "core/config/job/mesh.h"
#include "core/train/checkpoints/evaluation_interval.h"
#include "core/train/checkpoints/resume_check.h"
#include "core/train/checkpoints/shard_team.h"
#include "core/train/checkpoints/start_point.h"
#include "core/train/chief.h"
#include "core/train/connection.h"
#include "core/train/decide_start.h"
#include "core/train/job_batches.h"
#include "core/train/kept_memory.h"
#include "core/train/member.h"
#include "core/train/registration.h"
#include "core/train/replica/epoch_watch.h"
#include "core/train/replica/gpu_program.h"
#include "core/train/replica/job_context.h"
#include "core/train/replica/row_processors.h"
#include "core/train/replica/tuned_methods.h"
#include "core/train/run_info.h"
#include "core/train/summary.h"
#include "core/train/telemetry_sender.h"

namespace lockstep::train {

namespace {

/// Every wait of a collective: longer than the slowest thing a peer may do between two of them.
constexpr std::chrono::seconds kCollectiveTimeout{600};
constexpr std::chrono::seconds kLeaveTimeout{30};
constexpr std::chrono::seconds kLastRecordsTimeout{2};

bool isSecondary(const Error& error) {
    return error.code == ErrorCode::PeerLost || error.code == ErrorCode::Timeout;
}

/// A worker from its membership on.
class Worker {
public:
    Worker(const wire::WorkerConfig& config, const JobContext& context, Member& member,
           tensor::GpuSupport gpuSupport, TrainingListener* listener)
        : config_(config),
          context_(context),
          member_(member),
          gpuSupport_(std::move(gpuSupport)),
          listener_(listener) {}

    Result<bool> run();

private:
    [[nodiscard]] bool isChief() const { return config_.process_id() == 0; }
    Result<void> prepare();
    Result<void> gatherShards();
    void noteKept();
    Result<void> connect();
    Result<void> restore();
    Result<void> trainReplicas();
    Result<TrainingOutcome> trainReplica(int local);
    Result<TrainingOutcome> runLoop(ReplicaSetup& setup, std::size_t local);
    /// Of the job.
    [[nodiscard]] int replicaOf(std::size_t local) const;
    /// Wakes whoever waits for the replica.
    void giveUp(std::size_t local);
    void sendRunInfo();
    [[nodiscard]] std::optional<config::JobSpec> formerJob() const;
    [[nodiscard]] bool nothingIsLeft() const;
    void sayWhatDiffers();
    Result<bool> leave();

    const wire::WorkerConfig& config_;
    const JobContext& context_;
    Member& member_;
    ShardTeam shards_;  ///< Of a sharded mesh; the chief's last commits may need its writers.
    std::optional<PartRestore> restore_;  ///< Of its first row.
    std::unique_ptr<Chief> chief_;
    std::unique_ptr<KeptSteps> kept_;  ///< Null: none are kept in memory.
    std::optional<data::BatchPlan> batches_;
    TrainingPlan plan_;
    std::vector<std::unique_ptr<tensor::Device>> devices_;
    std::vector<std::unique_ptr<telemetry::StepRing>> rings_;
    Connection connection_;
    std::vector<Result<TrainingOutcome>> outcomes_;
    StartPoint start_;
    std::vector<float> statistics_;  ///< Of replica 0 at the start; empty where it is elsewhere.
    /// Of a mesh's replica 0: until it has been handed out.
    std::optional<WholeState> whole_;
    const tensor::GpuSupport gpuSupport_;
    TrainingListener* const listener_;
};

Result<bool> Worker::run() {
    TRY(prepare());
    TRY(connect());
    std::vector<collective::Communicator*> watched;
    for (const auto& communicator : connection_.communicators)
        watched.push_back(communicator.get());
    for (const MeshPlace& place : connection_.mesh)
        watched.push_back(place.model.get());
    member_.watch(watched);
    auto trained = restore();
    if (trained) trained = trainReplicas();
    member_.watch({});
    if (!trained) return fail(trained.error());
    return leave();
}

/// What all must agree on before anything is connected: where the run starts, on which data.
Result<void> Worker::prepare() {
    const config::JobSpec& job = context_.job;
    const std::filesystem::path checkpoints =
        std::filesystem::path(config_.run_dir()) / "checkpoints";
    const auto former = formerJob();
    if (isChief())
        chief_ = TRY(Chief::open(member_.client(),
                                 {.checkpoints = checkpoints,
                                  .keep = job.checkpoint.keep,
                                  .hasEvaluator = job.cluster.evaluator,
                                  .formerRate = (former ? *former : job).training.learningRate}));
    TRY(gatherShards());
    kept_ =
        TRY(openKeptSteps(config_, context_, topologyOf(member_.welcome(), config_.process_id())));
    start_ = TRY(decideStart(config_, context_, member_, kept_.get(),
                             restore_ ? &*restore_ : nullptr, former ? &*former : nullptr));
    if (kept_) goOnFrom(start_, config_.process_id(), *kept_);
    batches_.emplace(TRY(batchesOf(context_.job, context_.data, start_.seed)));
    plan_ = TrainingPlan::make(job, batches_->stepsPerEpoch(), start_.seed);
    if (isChief()) {
        if (std::string sentence = adoptInterval(start_, plan_.stepsPerEpoch); !sentence.empty())
            start_.notices.push_back(std::move(sentence));
        start_.convolutions =
            TRY(tunedMethods(context_, *batches_, start_.convolutions, gpuSupport_.usable()));
        TRY(announceStart(member_, start_));
    }
    TRY(plan_.startAt(start_.step));
    if (!start_.isKept) member_.wentOnFrom(start_.step, plan_.checkpointInterval());
    if (isChief()) sayWhatDiffers();
    return {};
}

/// Who of a sharded mesh writes what, and reads what where process 0 resumes: it alone knows that.
Result<void> Worker::gatherShards() {
    shards_ = TRY(ShardTeam::gather(member_.client(), context_.job,
                                    topologyOf(member_.welcome(), config_.process_id()),
                                    config_.run_dir()));
    if (isChief()) chief_->setCrew(shards_.writers());
    if (!shards_.share()) return {};
    const auto layout = TRY(config::meshLayoutOf(context_.job, context_.network.graph()));
    restore_.emplace(member_, context_.network, layout, context_.optimizer, *shards_.share());
    return {};
}

/// Of the run that is resumed; nothing where it is not known, or no longer read.
std::optional<config::JobSpec> Worker::formerJob() const {
    if (config_.former_job_toml().empty()) return std::nullopt;
    auto document = config::JobDocument::parse(config_.former_job_toml(), "the run's job.toml");
    return document ? std::optional(document->spec()) : std::nullopt;
}

/// A resume that all steps have been done before, or that early stopping has ended before.
bool Worker::nothingIsLeft() const {
    const checkpoint::TrainingState* resumed = start_.resumed();
    return resumed != nullptr && !start_.isKept && config_.generation() == 0 &&
           (start_.step == plan_.totalSteps || EpochWatch(context_.job, resumed).wantsStop());
}

void Worker::sayWhatDiffers() {
    for (const std::string& sentence : start_.notices)
        chief_->notice(sentence);
    if (start_.weights)
        std::fprintf(stderr, "note: %s\n", startWeightsText(context_.job, *start_.weights).c_str());
    if (start_.resumed() == nullptr || config_.generation() > 0) return;
    const auto former = formerJob();
    const auto changed = former ? differences(*former, context_.job) : std::vector<std::string>();
    const std::string list = fmt::format("{}", fmt::join(changed, ", "));
    if (nothingIsLeft())
        chief_->notice(fmt::format("nothing is left to train: the run ended at step {}{}",
                                   start_.step,
                                   changed.empty() ? "" : "; this was not used: " + list));
    else if (!changed.empty())
        chief_->notice(fmt::format("from step {} on the run trains with {}", start_.step, list));
}

Result<void> Worker::connect() {
    const config::JobSpec& job = context_.job;
    collective::CommunicatorOptions options;
    options.topology = topologyOf(member_.welcome(), config_.process_id());
    options.transport = transportOf(job.cluster);
    options.layout.parameters = context_.network.parameterCount();
    options.layout.buckets =
        collective::planBuckets(context_.network.cuts(), context_.network.parameterCount());
    options.layout.moments = context_.optimizer.momentCount();
    options.segmentFd = config_.segment_fd();
    options.store = &member_;
    options.prefix = fmt::format("gloo/{}/{}/", config_.run_id(), config_.generation());
    const auto address = config::parseAddress(config_.address());
    options.bindHost = address ? address->host : "127.0.0.1";
    options.timeout = kCollectiveTimeout;
    connection_ = TRY(config::isModelParallel(job)
                          ? connectMesh(context_, gpuSupport_, member_.welcome(), options,
                                        batches_->largestShare())
                          : connectReplicas(job.cluster, gpuSupport_, member_.welcome(), options,
                                            beyondWholeSteps(job.training, context_.data)));
    if (connection_.choice.gpu) TRY(giveUpKeptSteps(kept_, start_.isKept));
    for (std::size_t local = 0; local < connection_.communicators.size(); ++local) {
        devices_.push_back(tensor::openCpuDevice(static_cast<int>(local)));
        rings_.push_back(
            std::make_unique<telemetry::StepRing>(static_cast<std::uint32_t>(replicaOf(local))));
    }
    return {};
}

/// Replica 0's state: fresh, or the checkpoint's, if its row has not read that in parts.
/// ReplicaLoop::run brings it to all others.
Result<void> Worker::restore() {
    if (!isChief() || start_.isKept || (restore_ && restore_->parts() != nullptr)) return {};
    if (!connection_.mesh.empty()) {
        whole_.emplace(context_.optimizer, context_.network);
        TRY(applyStart(start_, context_.network, context_.optimizer, whole_->buffers(),
                       whole_->statistics));
        start_.weights.reset();
        return {};
    }
    statistics_.resize(context_.network.statisticsCount());
    TRY(applyStart(start_, context_.network, context_.optimizer, *connection_.communicators.front(),
                   statistics_));
    start_.weights.reset();  // they are where they belong
    return {};
}

Result<void> Worker::trainReplicas() {
    if (isChief()) {
        sendRunInfo();
        const std::string unlike = unlikeProcessors(
            member_.welcome(), context_.job.distribution.model, connection_.choice);
        if (!unlike.empty()) chief_->notice(unlike);
        noteKept();
    }
    outcomes_.assign(connection_.communicators.size(),
                     fail(ErrorCode::Internal, "the replica did not run"));
    std::vector<telemetry::StepRing*> rings;
    for (const auto& ring : rings_)
        rings.push_back(ring.get());
    for (std::size_t local = 0; start_.isKept && local < rings_.size(); ++local)
        tellFormerSteps(member_.client(), kept_->replica(static_cast<int>(local)), replicaOf(local),
                        start_);
    {
        std::vector<std::string> gpuUuids;
        for (const tensor::GpuInfo& gpu : connection_.gpus)
            gpuUuids.push_back(gpu.uuid);
        const TelemetrySender sender(member_.client(), std::move(rings), config_.process_id(),
                                     wire::ROLE_WORKER, std::move(gpuUuids), kept_.get(),
                                     [this](auto step) { return plan_.nextCheckpoint(step); });
        std::vector<std::jthread> threads;
        for (std::size_t local = 0; local < connection_.communicators.size(); ++local)
            threads.push_back(startThread(
                fmt::format("train-{}", replicaOf(local)), [this, local](const std::stop_token&) {
                    outcomes_[local] = trainReplica(static_cast<int>(local));
                }));
    }
    const Error* cause = nullptr;
    for (const auto& outcome : outcomes_) {
        if (!outcome &&
            (cause == nullptr || (isSecondary(*cause) && !isSecondary(outcome.error()))))
            cause = &outcome.error();
    }
    return cause == nullptr ? Result<void>{} : fail(*cause);
}

/// Which step in memory the run goes on from; that none are kept.
void Worker::noteKept() {
    if (kept_ == nullptr && context_.job.launch.keepsSteps())
        chief_->notice(notKeptText(connection_.choice.gpu));
    if (!start_.isKept) return;
    std::fprintf(stderr, "note: %s\n", goesOnText(start_).c_str());
}

int Worker::replicaOf(std::size_t local) const {
    const int replica = connection_.communicators[local]->replica();
    if (connection_.mesh.empty()) return replica;
    const collective::Communicator& model = *connection_.mesh[local].model;
    return replica * model.replicaCount() + model.replica();
}

void Worker::giveUp(std::size_t local) {
    connection_.communicators[local]->abort();
    if (!connection_.mesh.empty()) connection_.mesh[local].model->abort();
}

Result<TrainingOutcome> Worker::trainReplica(int local) {
    const auto index = static_cast<std::size_t>(local);
    ReplicaSetup setup{
        .job = context_.job,
        .plan = plan_,
        .data = context_.data,
        .batches = *batches_,
        .network = connection_.mesh.empty() ? context_.network : *connection_.mesh[index].part,
        .optimizer = context_.optimizer,
        .objective = context_.objective,
        .device = *devices_[index],
        .communicator = *connection_.communicators[index],
        .ring = rings_[index].get(),
        .progress = member_.progress(local),
        .stopRequested = member_.stopRequested(),
        .events = isChief() && local == 0 ? chief_.get() : nullptr,
        .epochSoFar = start_.epochSoFar,
        .epochEndDue = start_.epochEndDue,
        .skippedSteps = start_.skippedSteps,
        .resumed = start_.resumed(),
        .statistics = statistics_,
        .initialWeights = start_.initialWeights,
        .listener = local == 0 ? listener_ : nullptr,
        .faults = local == 0 ? &member_.stepFaults() : nullptr,
        .kept = kept_ ? &kept_->replica(local) : nullptr,
        .beginsAtKept = start_.isKept,
        .isFed = start_.isKept && start_.keptStep(config_.process_id()) == 0,
        .feeds = !start_.fed.empty(),
    };
    std::optional<MeshMember> mesh;
    if (!connection_.mesh.empty()) {
        const MeshPlace& place = connection_.mesh[index];
        mesh.emplace(context_.network, *place.part, setup.communicator, *place.model,
                     setup.progress);
        setup.mesh = &*mesh;
        setup.whole = whole_ && local == 0 ? &*whole_ : nullptr;
        if (restore_ && mesh->isInFirstRow()) setup.parts = restore_->parts();
        setup.shards = {shards_.writerOf(mesh->replica()), shards_.handed()};
    }
    auto outcome = runLoop(setup, index);
    if (!outcome) giveUp(index);  // the local others must not wait for this one
    // What it has seen may be in what it kept.
    if (!outcome && kept_ && !isSecondary(outcome.error()))
        kept_->distrust(outcome.error().message);
    return outcome;
}

Result<TrainingOutcome> Worker::runLoop(ReplicaSetup& setup, std::size_t local) {
    setup.place = placeOf(connection_, local, context_.job.training);
    setup.place.methods = &start_.convolutions;
    setup.place.group = setup.mesh;
    const auto gpu =
        TRY(makeGpuSteps(connection_, local, context_, *batches_, plan_.seed, setup.mesh));
    setup.steps = gpu.get();
    if (setup.mesh == nullptr || setup.mesh->isInFirstColumn()) {
        auto watch = TRY(batchWatchOfEnvironment(replicaOf(local)));
        setup.batchWatch = std::move(watch);
    }
    auto loop = ReplicaLoop::make(setup);
    auto outcome = loop ? loop->run() : Result<TrainingOutcome>(fail(loop.error()));
    // While the engine lives: it goes when its stream is done, which may wait for a lost peer.
    if (!outcome) giveUp(local);
    return outcome;
}

void Worker::sendRunInfo() {
    const bool unused = nothingIsLeft() && !config_.former_job_toml().empty();
    if (auto sent = member_.client().sendRecord(
            runInfo(config_, unused ? config_.former_job_toml() : config_.job_toml(), context_,
                    plan_, *batches_, connection_));
        !sent)
        std::fprintf(stderr, "warning: not journalled: %s\n", sent.error().message.c_str());
}

Result<bool> Worker::leave() {
    const TrainingOutcome& outcome = *outcomes_.front();
    const std::string status = outcome.stopped ? "stopped" : "completed";
    std::string summary;
    if (isChief()) {
        // Whoever asks for a stop now does not want to wait for room on the disk.
        const auto givesUp = [&] {
            return member_.aborted() || (member_.stopRequested().load() && !outcome.stopped);
        };
        TRY(chief_->finish(givesUp));
        summary = summaryJson(context_.job, plan_, outcome, context_.objective.metrics(),
                              connection_.communicators.front()->backend(), connection_.device(),
                              chief_->notices(), start_.initialWeights, member_.welcome());
    }
    TRY(shards_.finish());
    TRY(member_.client().leave(status, summary, kLeaveTimeout));
    return outcome.stopped;
}

}  // namespace

const char* buildId() {
    return LOCKSTEP_BUILD_ID;
}

Result<bool> runWorker(const wire::WorkerConfig& config, TerminationWatch* termination,
                       TrainingListener* listener) {
    auto job = TRY(jobOf(config));
    // Meanwhile the others are awaited and the data are read.
    const std::jthread warmUp =
        startThread("warm-up", [](const std::stop_token&) { tensor::warmUpCpu(); });
    auto gpus = findGpus(job);
    auto self =
        gpus ? registrationOf(config, job, *gpus) : Result<wire::Register>(fail(gpus.error()));
    auto member = TRY(Member::join(config, job, self ? *self : withoutDevices(job, self.error()),
                                   termination, listener == nullptr));
    auto context = self ? makeJobContext(job, config.job_dir())
                        : Result<std::unique_ptr<const JobContext>>(fail(self.error()));
    std::optional<Worker> worker;
    if (context) worker.emplace(config, **context, *member, *std::move(gpus), listener);
    auto stopped = worker ? worker->run() : Result<bool>(fail(context.error()));
    // Before its checkpoints are written: whom this error has stopped is not to speak first.
    if (!stopped) member->report(stopped.error());
    worker.reset();
    // Best effort: without it the last samples of this process are missing from the history.
    if (!stopped) std::ignore = member->client().flush(kLastRecordsTimeout);
    return stopped;
}

}  // namespace lockstep::train
