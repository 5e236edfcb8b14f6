// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/replica_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "core/base/check.h"
#include "core/base/clock.h"
#include "core/base/plural.h"
#include "core/base/record_clock.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/data/batch_sum.h"
#include "core/program/compile.h"

namespace lockstep::train {

namespace {

/// A batch is prepared ahead; only a stalled machine takes this long.
constexpr std::chrono::seconds kBatchTimeout{60};
/// Room is made for them before the first step, so that no step allocates: 4 MiB.
constexpr std::size_t kStepTimesKept = std::size_t{1} << 20;

/// A run has about so many values of each of its own figures.
constexpr std::int64_t kFigures = 1000;

float microseconds(Nanos duration) {
    return static_cast<float>(duration.count()) * 1e-3F;
}

std::uint32_t partsOf(const config::JobSpec& job) {
    return static_cast<std::uint32_t>(job.training.gradientAccumulationSteps);
}

}  // namespace

ReplicaLoop::ReplicaLoop(const ReplicaSetup& setup, std::unique_ptr<program::Executor> executor,
                         tensor::Buffer samples, SplitEvaluator evaluator)
    : setup_(setup),
      executor_(std::move(executor)),
      sum_(setup.communicator, setup.progress),
      statistics_(setup.network.statisticsCount()),
      statisticsBefore_(setup.network.statisticsCount()),
      samples_(std::move(samples)),
      evaluator_(std::move(evaluator)),
      buckets_(collective::planBuckets(setup.network.cuts(), setup.network.parameterCount())),
      update_(setup.optimizer, setup.network, buckets_, setup.batches.stepsPerEpoch(), setup.mesh),
      watch_(setup.job, setup.resumed),
      plateau_(setup.job.training, setup.resumed) {
    if (setup.job.training.identityEverySteps > 0 && setup.gpu == nullptr) guard_.emplace(buckets_);
    copyHashes_.resize(static_cast<std::size_t>(setup.communicator.replicaCount()));
    if (partsOf(setup.job) > 1) accumulated_.resize(setup.network.parameterCount());
    stepScore_.metrics.resize(setup.objective.metrics().size());
    epochMetrics_.resize(setup.objective.metrics().size());
    const SplitScore& before = setup.epochSoFar;
    if (replica() != 0 || before.samples <= 0) return;
    // Where the run measured something else before, the rest of the epoch alone says nothing.
    if (setup.resumed != nullptr && setup.resumed->metrics == setup.objective.metrics().names() &&
        before.metrics.size() == epochMetrics_.size())
        epochMetrics_ = before.metrics;
    else
        std::ranges::fill(epochMetrics_, std::numeric_limits<double>::quiet_NaN());
}

Result<ReplicaLoop> ReplicaLoop::make(const ReplicaSetup& setup) {
    const std::uint32_t parts = partsOf(setup.job);
    const std::uint32_t atOnce = (setup.batches.largestShare() + parts - 1) / parts;
    // Where a GPU runs whole steps there is no batch for this one.
    auto executor =
        TRY(makeExecutor(setup.device, setup.place,
                         program::compile(setup.network.graph(), setup.gpu != nullptr ? 1 : atOnce,
                                          program::Program::Mode::Training)));
    auto samples =
        TRY(setup.device.allocate(atOnce * setup.network.inputFeatures() * sizeof(float)));
    auto evaluator =
        TRY(SplitEvaluator::make(setup.device, setup.network, setup.objective, setup.place));
    return ReplicaLoop(setup, std::move(executor), std::move(samples), std::move(evaluator));
}

Result<TrainingOutcome> ReplicaLoop::run() {
    flushDenormals();
    enter(wire::PHASE_WAITING);
    setup_.progress.collectivePlace().reset();
    setup_.communicator.showPlaceIn(setup_.progress.collectivePlace());
    if (setup_.mesh != nullptr) setup_.mesh->showPlaceIn(setup_.progress.collectivePlace());
    if (setup_.faults != nullptr && !wholeStepsOnGpu()) setup_.faults->attach();
    std::ranges::copy(setup_.statistics, statistics_.begin());
    TRY(shareState(setup_.whole));
    if (setup_.whole != nullptr) setup_.whole->clear();
    const TrainingPlan& plan = setup_.plan;
    TRY(prepareBatches());
    outcome_.stepMilliseconds.reserve(
        std::min(kStepTimesKept, static_cast<std::size_t>(plan.totalSteps - plan.firstStep)));
    outcome_.step = plan.firstStep;
    outcome_.train = setup_.epochSoFar;
    // A file cannot say that nothing is right or wrong.
    if (!setup_.objective.hasAccuracy())
        outcome_.train.correct = std::numeric_limits<double>::quiet_NaN();
    outcome_.skippedSteps = setup_.skippedSteps;
    TRY(agreeOnWatch(plan.firstStep));
    setup_.progress.completeStep(static_cast<std::uint64_t>(plan.firstStep));
    if (setup_.events != nullptr) setup_.events->stateChanged(wire::RUN_STATE_TRAINING, "training");

    stepMark_ = epochMark_ = SteadyClock::read();
    // Stopped while it validated: the epoch's steps are done, its end is not.
    if (setup_.epochEndDue) TRY(afterStep(plan.firstStep, false));
    while (outcome_.step < plan.totalSteps && !outcome_.stopped &&
           outcome_.stoppedEarlyAtEpoch == 0) {
        std::int64_t step = outcome_.step + 1;
        if (wholeStepsOnGpu()) {
            auto reached = TRY(runOnGpu(step));
            step = reached;
        } else if (auto done = trainStep(step); !done) {
            return fail(done.error());
        }
        outcome_.step = step;
        outcome_.stopped = votes().stop > 0 && step < plan.totalSteps;
        TRY(afterStep(step, outcome_.stopped));
    }
    TRY(finish());
    return std::move(outcome_);
}

/// A GPU has the data and the order of the samples itself.
Result<void> ReplicaLoop::prepareBatches() {
    if (setup_.gpu != nullptr) return setup_.gpu->takeState(statistics_);
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

Result<void> ReplicaLoop::trainStep(std::int64_t step) {
    tellBegin(step);
    mark_ = stepMark_;
    enter(wire::PHASE_DATA);
    const auto batch = TRY(prefetcher_->next(kBatchTimeout));
    record_.dataMicroseconds = lap();
    if (setup_.batchWatch)
        setup_.batchWatch(step, data::batchSum(batch, *setup_.data.train,
                                               setup_.batches.placeInStep(
                                                   batch.step, setup_.communicator.replica())));
    if (setup_.faults != nullptr && setup_.faults->isPending()) sufferDrill(step);
    TRY(computeGradients(batch));
    if (slowBy_ > Nanos{}) dragOn();
    TRY(applyUpdate(step));
    const std::int64_t every = setup_.job.training.identityEverySteps;
    if (every > 0 && step % every == 0) TRY(compareCopies(step));
    recordStep(step, batch.globalCount);
    batchStops_ = !tellEnd(step) || batchStops_;
    return {};
}

void ReplicaLoop::takeTotals(const tensor::LossTotals& totals) {
    stepScore_.lossSum = totals.lossSum;
    stepScore_.correct = totals.correct;
    stepScore_.samples = totals.samples;
    std::ranges::fill(stepScore_.metrics, 0.0);
}

/// What the votes say is the same in all columns of a mesh.
Result<void> ReplicaLoop::vote() {
    if (std::exchange(isNanDue_, false))
        stepScore_.lossSum = std::numeric_limits<double>::quiet_NaN();
    bool stop = batchStops_ || setup_.stopRequested.load(std::memory_order_relaxed);
    if (setup_.mesh != nullptr) stop = TRY(setup_.mesh->isAnybodys(stop));
    setup_.communicator.setVotes({.lossSum = stepScore_.lossSum,
                                  .correct = stepScore_.correct,
                                  .samples = stepScore_.samples,
                                  .stop = stop ? 1.0 : 0.0,
                                  .notFinite = std::isfinite(stepScore_.lossSum) ? 0.0 : 1.0});
    return {};
}

Result<void> ReplicaLoop::applyUpdate(std::int64_t step) {
    record_.updateMicroseconds = 0;
    TRY(update_.needsNorms() ? reduceThenUpdate(step) : reduceAndUpdate(step));
    const bool finite = setup_.communicator.votes().notFinite == 0;
    enter(wire::PHASE_ALL_REDUCE);
    auto finished = setup_.communicator.finishStep();
    record_.allReduceMicroseconds += lap();
    // Whoever saw the NaN says so, though the others may have left the step already.
    const bool isCause =
        !finite && !std::isfinite(stepScore_.lossSum) && setup_.job.training.terminateOnNan;
    if (!finished && !isCause) return finished;
    return finite ? Result<void>{} : checkVotes(step);
}

/// Each bucket is updated while the next ones still travel.
Result<void> ReplicaLoop::reduceAndUpdate(std::int64_t step) {
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket) {
        const auto share = TRY(reduceBucket(bucket));
        TRY(updateShare(bucket, share, step));
    }
    return {};
}

/// Norms are of whole gradients: everything is reduced before anything is updated.
Result<void> ReplicaLoop::reduceThenUpdate(std::int64_t step) {
    std::vector<collective::Range> shares(buckets_.size());
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
        shares[bucket] = TRY(reduceBucket(bucket));
    enter(wire::PHASE_ALL_REDUCE);
    TRY(update_.measureNorms(setup_.communicator, shares));
    record_.allReduceMicroseconds += lap();
    for (std::size_t bucket = 0; bucket < buckets_.size(); ++bucket)
        TRY(updateShare(bucket, shares[bucket], step));
    return {};
}

Result<collective::Range> ReplicaLoop::reduceBucket(std::size_t bucket) {
    enter(wire::PHASE_ALL_REDUCE);
    auto share = setup_.communicator.reduce(bucket);
    record_.allReduceMicroseconds += lap();
    return share;
}

Result<void> ReplicaLoop::updateShare(std::size_t bucket, const collective::Range& share,
                                      std::int64_t step) {
    collective::Communicator& communicator = setup_.communicator;
    if (firstShare_.size() == 0) firstShare_ = share;
    enter(wire::PHASE_UPDATE);
    if (communicator.votes().notFinite == 0 && share.size() > 0) {
        if (guard_)
            TRY(updateGuarded(bucket, share, step));
        else
            update_.apply(communicator, share, step, step == outcome_.skippedSteps + 1);
    }
    communicator.publish(bucket);
    record_.updateMicroseconds += lap();
    return {};
}

Result<void> ReplicaLoop::checkVotes(std::int64_t step) {
    if (!setup_.job.training.terminateOnNan) {
        leaveOut(step);
        return {};
    }
    if (std::isfinite(stepScore_.lossSum))
        return fail(ErrorCode::PeerLost,
                    fmt::format("another replica's loss was not a number at step {}", step));
    return fail(ErrorCode::Diverged,
                fmt::format("the loss became {} at step {} on replica {}; the step was not applied",
                            stepScore_.lossSum, step, replica()),
                "Lower training.learning_rate, or look for bad values in the data.\n"
                "Checkpoints written before are good: --resume continues from the newest.");
}

/// The first one is said at once, how many there were at the end.
void ReplicaLoop::leaveOut(std::int64_t step) {
    std::ranges::copy(statisticsBefore_, statistics_.begin());
    ++outcome_.skippedSteps;
    if (outcome_.skippedSteps > 1 || setup_.events == nullptr) return;
    setup_.events->notice(
        fmt::format("step {} was left out: a loss was not a number; training goes on, because "
                    "training.terminate_on_nan is false",
                    step));
}

void ReplicaLoop::recordStep(std::int64_t step, std::uint32_t globalCount) {
    const Nanos now = SteadyClock::read();
    const double samples = stepScore_.samples;
    record_.step = static_cast<std::uint64_t>(step);
    record_.endWallTime = recordSeconds();
    record_.hasSamples = samples > 0;
    record_.loss = samples > 0 ? static_cast<float>(stepScore_.lossSum / samples)
                               : std::numeric_limits<float>::quiet_NaN();
    record_.accuracy = samples > 0 ? static_cast<float>(stepScore_.correct / samples)
                                   : std::numeric_limits<float>::quiet_NaN();
    record_.stepMicroseconds = microseconds(now - stepMark_);
    if (setup_.ring != nullptr) setup_.ring->push(record_);
    setup_.progress.completeStep(record_.step);

    const collective::StepVotes& votes = setup_.communicator.votes();
    if (votes.notFinite == 0) {
        outcome_.train.lossSum += votes.lossSum;
        outcome_.train.correct += votes.correct;
        outcome_.train.samples += votes.samples;
        for (std::size_t i = 0; i < epochMetrics_.size(); ++i)
            epochMetrics_[i] += stepScore_.metrics[i];
    }
    keepStepTime(record_.stepMicroseconds * 1e-3F);
    outcome_.trainSeconds += std::chrono::duration<double>(now - stepMark_).count();
    outcome_.samplesTrained += globalCount;
    reportFigures(step);
    stepMark_ = now;
}

/// What this run's update does, as series beside the loss: of the whole job, so of replica 0 alone.
void ReplicaLoop::reportFigures(std::int64_t step) {
    const std::int64_t every = std::max<std::int64_t>(setup_.plan.totalSteps / kFigures, 1);
    const bool isWanted = step % every == 0 || step == 1 || setup_.plan.endsEpoch(step);
    if (setup_.events == nullptr || !isWanted) return;
    setup_.events->figure("train/learning_rate", step, update_.rateAt(step));
    if (update_.needsNorms())
        setup_.events->figure("train/gradient_norm", step, update_.gradientNorm());
}

/// The newest kStepTimesKept, in any order: they are for percentiles.
void ReplicaLoop::keepStepTime(float milliseconds) {
    std::vector<float>& times = outcome_.stepMilliseconds;
    if (times.size() < kStepTimesKept)
        times.push_back(milliseconds);
    else
        times[record_.step % kStepTimesKept] = milliseconds;
}

Result<void> ReplicaLoop::afterStep(std::int64_t step, bool last) {
    const bool epochEnds = setup_.plan.endsEpoch(step);
    if (epochEnds) {
        TRY(endEpoch(step));
    }
    outcome_.stopped = outcome_.stopped || epochEndDue_;
    const bool isBest = epochEnds && outcome_.bestStep == step;
    last = last || outcome_.stoppedEarlyAtEpoch > 0 || epochEndDue_;
    if (last || isBest || setup_.plan.wantsCheckpoint(step)) {
        const bool isLast = last || step == setup_.plan.totalSteps;
        TRY(writeCheckpoint(step, isLast));
    }
    if (epochEnds) {
        if (step < setup_.plan.totalSteps && !last) outcome_.train = {};
        std::ranges::fill(epochMetrics_, 0.0);
        epochMark_ = SteadyClock::read();
    }
    // What happened between steps belongs to no step's time.
    if (epochEnds || last || isBest || setup_.plan.wantsCheckpoint(step))
        stepMark_ = SteadyClock::read();
    return {};
}

/// Statistics that each replica keeps for itself are averaged before anybody uses them.
Result<void> ReplicaLoop::settleStatistics() {
    if (!setup_.network.hasLocalStatistics()) return {};
    TRY(averageOverReplicas(setup_.communicator, statistics_));
    return setup_.gpu != nullptr ? setup_.gpu->takeState(statistics_) : Result<void>{};
}

Result<void> ReplicaLoop::finish() {
    TRY(settleStatistics());
    if (!outcome_.stopped) {
        TRY(restoreBest());
        if (setup_.events != nullptr)
            setup_.events->stateChanged(wire::RUN_STATE_TESTING, "testing");
        if (setup_.data.test->count > 0) {
            auto score = TRY(scoreTogether(*setup_.data.test));
            outcome_.test = score;
            outcome_.stopped = !score.has_value();  // a resume tests again
        }
    }
    std::vector<std::span<const float>> parts{setup_.communicator.parameters()};
    for (const std::span<float> moment : moments())
        parts.emplace_back(moment);
    if (!statistics_.empty()) parts.emplace_back(statistics_);
    auto hash = TRY(agreedHash(parts));
    outcome_.stateHash = setup_.mesh == nullptr ? hash : TRY(hashOfWhole());
    if (outcome_.skippedSteps > 0 && setup_.events != nullptr)
        setup_.events->notice(fmt::format("{} of {} left out, because a loss was not a number",
                                          outcome_.skippedSteps,
                                          countedWas(outcome_.step, "step")));
    enter(wire::PHASE_DONE);
    return {};
}

void ReplicaLoop::enter(wire::Phase phase) {
    setup_.progress.enter(phase, SteadyClock::read());
}

float ReplicaLoop::lap() {
    const Nanos now = SteadyClock::read();
    const float elapsed = microseconds(now - mark_);
    mark_ = now;
    return elapsed;
}

}  // namespace lockstep::train
