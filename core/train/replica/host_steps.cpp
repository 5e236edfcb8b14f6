// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/host_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/record_clock.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/data/batch_sum.h"
#include "core/program/compile.h"

namespace lockstep::train {

namespace {

/// A batch is prepared ahead; only a stalled machine takes this long.
constexpr std::chrono::seconds kBatchTimeout{60};

// What is kept is copied behind each guarded block.
static_assert(WeightGuard::kBlock % KeptReplica::kBlock == 0);

float microseconds(Nanos duration) {
    return static_cast<float>(duration.count()) * 1e-3F;
}

tl::unexpected<Error> failIn(std::int64_t step, Error error) {
    error.message += fmt::format(", at step {}", step);
    return fail(std::move(error));
}

std::vector<std::span<float>> momentsOf(collective::Communicator& communicator, int count) {
    std::vector<std::span<float>> moments;
    for (int i = 0; i < count; ++i)
        moments.push_back(communicator.moments(i));
    return moments;
}

std::uint32_t partsOf(const config::JobSpec& job) {
    return static_cast<std::uint32_t>(job.training.gradientAccumulationSteps);
}

}  // namespace

HostSteps::HostSteps(const ReplicaSetup& setup, Computing computing, SplitEvaluator evaluator)
    : setup_(setup),
      executor_(std::move(computing.executor)),
      engine_(std::move(computing.engine)),
      sum_(setup.communicator, setup.progress),
      statistics_(setup.network.statisticsCount()),
      statisticsBefore_(setup.network.statisticsCount()),
      samples_(std::move(computing.samples)),
      evaluator_(std::move(evaluator)),
      buckets_(collective::planBuckets(setup.network.cuts(), setup.network.parameterCount())),
      update_(setup.optimizer, setup.network, buckets_, setup.batches.stepsPerEpoch(), setup.mesh),
      identity_(setup.network, setup.communicator, buckets_, setup.replica(),
                setup.job.training.identityEverySteps > 0 && engine_ == nullptr),
      kept_(engine_ == nullptr ? setup.kept : nullptr),
      moments_(momentsOf(setup.communicator, setup.optimizer.momentCount())),
      skipped_(setup.skippedSteps) {
    if (partsOf(setup.job) > 1) accumulated_.resize(setup.network.parameterCount());
    score_.metrics.resize(setup.objective.metrics().size());
}

Result<std::unique_ptr<HostSteps>> HostSteps::make(const ReplicaSetup& setup) {
    const std::uint32_t parts = partsOf(setup.job);
    const std::uint32_t atOnce = (setup.batches.largestShare() + parts - 1) / parts;
    Computing computing{.engine = TRY(makeEngine(setup))};
    if (computing.engine == nullptr) {
        computing.executor = TRY(makeExecutor(
            setup.device, setup.place,
            program::compile(setup.network.graph(), atOnce, program::Program::Mode::Training)));
        computing.samples =
            TRY(setup.device.allocate(atOnce * setup.network.inputFeatures() * sizeof(float)));
    }
    auto evaluator =
        TRY(SplitEvaluator::make(setup.device, setup.network, setup.objective, setup.place));
    return std::unique_ptr<HostSteps>(
        new HostSteps(setup, std::move(computing), std::move(evaluator)));
}

Result<void> HostSteps::takeState(std::span<const float> statistics) {
    std::ranges::copy(statistics, statistics_.begin());
    if (engine_ == nullptr) return {};
    return engine_->upload(setup_.communicator.parameters(), statistics_,
                           momentsOf(setup_.communicator, setup_.optimizer.momentCount()));
}

Result<void> HostSteps::bringState(std::span<float> statistics) {
    if (engine_ != nullptr)
        TRY(engine_->download(setup_.communicator.parameters(), statistics_,
                              momentsOf(setup_.communicator, setup_.optimizer.momentCount())));
    std::ranges::copy(statistics_, statistics.begin());
    return {};
}

/// Batches are prepared from here on, and drills heard.
Result<void> HostSteps::begin() {
    if (setup_.faults != nullptr) setup_.faults->attach();
    data::PrefetchOptions options{.depth = static_cast<std::uint32_t>(setup_.job.data.prefetch),
                                  .ignoredClass = setup_.objective.ignoredClass()};
    const data::Dataset& data = setup_.data;
    if (!data.augment.empty()) {
        const data::Split& train = *data.train;
        options.augmenter = std::make_shared<const data::Augmenter>(TRY(data::Augmenter::make(
            data.augment, {train.height(), train.width(), train.channels()}, setup_.plan.seed)));
        options.mostThreads = static_cast<unsigned>(
            std::max(availableProcessors() / setup_.job.cluster.localReplicas(), 1));
    }
    prefetcher_ = TRY(data::Prefetcher::start(data.train, setup_.batches,
                                              setup_.communicator.replica(), setup_.plan.firstStep,
                                              setup_.plan.totalSteps, std::move(options)));
    return {};
}

Result<std::int64_t> HostSteps::run(std::int64_t first, std::int64_t last, StepWatch& watch) {
    if (prefetcher_ == nullptr) TRY(begin());
    // What happened between steps belongs to no step's time.
    stepMark_ = SteadyClock::read();
    if (engine_ != nullptr) return runOnGpu(first, last, watch);
    for (std::int64_t step = first;; ++step) {
        TRY(trainStep(step, watch));
        const collective::StepVotes& votes = setup_.communicator.votes();
        const bool endsRun = votes.notFinite > 0 && setup_.job.training.terminateOnNan;
        if (step == last || votes.stop > 0 || endsRun) return step;
    }
}

Result<void> HostSteps::trainStep(std::int64_t step, StepWatch& watch) {
    // What a listener takes is no step's time.
    const auto skipListener = [this] {
        if (setup_.listener != nullptr) stepMark_ = SteadyClock::read();
    };
    watch.stepBegins(step);
    skipListener();
    mark_ = stepMark_;
    enter(wire::PHASE_DATA);
    const auto batch = TRY(prefetcher_->next(kBatchTimeout));
    record_.dataMicroseconds = lap();
    if (setup_.batchWatch)
        setup_.batchWatch(step, data::batchSum(batch, *setup_.data.train,
                                               setup_.batches.placeInStep(
                                                   batch.step, setup_.communicator.replica())));
    if (setup_.faults != nullptr && setup_.faults->isPending()) sufferDrill(step);
    TRY(computeGradients(batch, watch));
    if (slowBy_ > Nanos{}) dragOn();
    TRY(applyUpdate(step));
    const std::int64_t every = setup_.job.training.identityEverySteps;
    const bool isUpdated = setup_.communicator.votes().notFinite == 0;
    if (isUpdated && every > 0 && step % every == 0 && identity_.hasCopies()) {
        enter(wire::PHASE_ALL_REDUCE);
        TRY(identity_.compareCopies(step));
        record_.allReduceMicroseconds += lap();
    }
    record(step);
    watch.stepDone({.record = record_,
                    .votes = setup_.communicator.votes(),
                    .mine = score_,
                    .samples = static_cast<double>(batch.globalCount),
                    .learningRate = update_.rateAt(step),
                    .gradientNorm =
                        update_.needsNorms() ? std::optional(update_.gradientNorm()) : std::nullopt,
                    .statistics = kept_ != nullptr
                                      ? std::optional<std::span<const float>>(statistics_)
                                      : std::nullopt});
    skipListener();
    return {};
}

/// What the votes say is the same in all columns of a mesh.
Result<void> HostSteps::vote(bool wantsStop) {
    if (std::exchange(isNanDue_, false)) score_.lossSum = std::numeric_limits<double>::quiet_NaN();
    if (setup_.mesh != nullptr) wantsStop = TRY(setup_.mesh->isAnybodys(wantsStop));
    setup_.communicator.setVotes({.lossSum = score_.lossSum,
                                  .correct = score_.correct,
                                  .samples = score_.samples,
                                  .stop = wantsStop ? 1.0 : 0.0,
                                  .notFinite = std::isfinite(score_.lossSum) ? 0.0 : 1.0});
    return {};
}

/// Where some replica's loss is not finite, nothing is updated.
Result<void> HostSteps::applyUpdate(std::int64_t step) {
    record_.updateMicroseconds = 0;
    TRY(update_.needsNorms() ? reduceThenUpdate(step) : reduceAndUpdate(step));
    const bool finite = setup_.communicator.votes().notFinite == 0;
    enter(wire::PHASE_ALL_REDUCE);
    auto finished = setup_.communicator.finishStep();
    record_.allReduceMicroseconds += lap();
    if (!finite && !setup_.job.training.terminateOnNan) {
        std::ranges::copy(statisticsBefore_, statistics_.begin());
        ++skipped_;
    }
    // Whoever saw the NaN says so, though the others may have left the step already.
    const bool isCause =
        !finite && !std::isfinite(score_.lossSum) && setup_.job.training.terminateOnNan;
    if (isCause) return {};
    return finished ? std::move(finished) : failIn(step, std::move(finished.error()));
}

/// Each bucket is updated while the next ones still travel.
Result<void> HostSteps::reduceAndUpdate(std::int64_t step) {
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        const auto share = TRY(reduceBucket(bucket, step));
        TRY(updateShare(bucket, share, step));
    }
    return {};
}

/// Norms are of whole gradients: everything is reduced before anything is updated.
Result<void> HostSteps::reduceThenUpdate(std::int64_t step) {
    std::vector<collective::Range> shares(buckets_.size());
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
        shares[bucket] = TRY(reduceBucket(bucket, step));
    enter(wire::PHASE_ALL_REDUCE);
    TRY(update_.measureNorms(setup_.communicator, shares));
    record_.allReduceMicroseconds += lap();
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
        TRY(updateShare(bucket, shares[bucket], step));
    return {};
}

Result<collective::Range> HostSteps::reduceBucket(std::size_t bucket, std::int64_t step) {
    enter(wire::PHASE_ALL_REDUCE);
    auto share = setup_.communicator.reduce(bucket);
    record_.allReduceMicroseconds += lap();
    if (!share) return failIn(step, std::move(share.error()));
    return share;
}

Result<void> HostSteps::updateShare(std::size_t bucket, const collective::Range& share,
                                    std::int64_t step) {
    collective::Communicator& communicator = setup_.communicator;
    if (firstShare_.size() == 0) firstShare_ = share;
    enter(wire::PHASE_UPDATE);
    TRY(applyAndKeep(bucket, share, step));
    communicator.publish(bucket);
    record_.updateMicroseconds += lap();
    return {};
}

/// What is kept of the step is copied block by block behind the update, while it lies in the cache.
Result<void> HostSteps::applyAndKeep(std::size_t bucket, const collective::Range& share,
                                     std::int64_t step) {
    collective::Communicator& communicator = setup_.communicator;
    if (kept_ != nullptr) {
        if (bucket == 0) kept_->begin(step);
        TRY(kept_->takeShare(bucket, share));
    }
    const auto keep = [&](const collective::Range& range) {
        if (kept_ != nullptr) kept_->copy(range, communicator.parameters(), moments_);
    };
    if (communicator.votes().notFinite > 0) {
        keep(share);
        return {};
    }
    if (share.size() == 0) return {};
    return identity_.update(bucket, share, step, [&](const collective::Range& range) {
        const auto sums =
            update_.apply(communicator, range, step, step == skipped_ + 1, identity_.isGuarded());
        keep(range);
        return sums;
    });
}

void HostSteps::record(std::int64_t step) {
    const Nanos now = SteadyClock::read();
    const double samples = score_.samples;
    record_.step = static_cast<std::uint64_t>(step);
    record_.endWallTime = recordSeconds();
    record_.hasSamples = samples > 0;
    record_.loss = samples > 0 ? static_cast<float>(score_.lossSum / samples)
                               : std::numeric_limits<float>::quiet_NaN();
    record_.accuracy = samples > 0 ? static_cast<float>(score_.correct / samples)
                                   : std::numeric_limits<float>::quiet_NaN();
    record_.stepMicroseconds = microseconds(now - stepMark_);
    stepMark_ = now;
}

Result<void> HostSteps::checkWeights(std::int64_t step) {
    TRY(identity_.checkShares(step));
    return identity_.hasCopies() ? identity_.compareCopies(step) : Result<void>{};
}

/// What is validated: the weights, or their average where one is kept.
Weights HostSteps::evaluated() {
    const int average = setup_.optimizer.averageIndex();
    return {average >= 0 ? setup_.communicator.moments(average) : setup_.communicator.parameters(),
            statistics_};
}

Result<SplitScore> HostSteps::score(ScoredSplit split, std::uint32_t first, std::uint32_t count,
                                    const std::atomic<bool>& stop) {
    const data::Split& samples =
        split == ScoredSplit::Validation ? *setup_.data.validation : *setup_.data.test;
    return setup_.mesh != nullptr ? scoreWithRow(samples, first, count, stop)
                                  : evaluator_.score(evaluated(), samples, first, count, &stop,
                                                     &setup_.progress.collectivePlace());
}

/// A mesh's row scores together: its members stop behind the same batch.
Result<SplitScore> HostSteps::scoreWithRow(const data::Split& split, std::uint32_t first,
                                           std::uint32_t count, const std::atomic<bool>& stop) {
    const std::uint32_t end = first + count;
    SplitScore sum;
    sum.metrics.resize(setup_.objective.metrics().size());
    while (first < end) {
        if (TRY(setup_.mesh->isAnybodys(stop.load(std::memory_order_relaxed)))) break;
        const std::uint32_t piece = std::min(evaluator_.batch(), end - first);
        auto scored = TRY(evaluator_.score(evaluated(), split, first, piece));
        sum.add(scored);
        first += piece;
    }
    return sum;
}

/// In the middle of forward and backward.
Nanos HostSteps::takeWaiting() {
    const Nanos ofMesh = setup_.mesh != nullptr ? setup_.mesh->takeTime() : Nanos{0};
    return sum_.takeTime() + ofMesh;
}

void HostSteps::enter(wire::Phase phase) {
    setup_.progress.enter(phase, SteadyClock::read());
}

float HostSteps::lap() {
    const Nanos now = SteadyClock::read();
    const float elapsed = microseconds(now - mark_);
    mark_ = now;
    return elapsed;
}

}  // namespace lockstep::train
