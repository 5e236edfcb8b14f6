// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/replica_loop.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/base/clock.h"
#include "core/base/plural.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/tensor/cpu/operations.h"

namespace lockstep::train {

namespace {

/// Room is made for them before the first step, so that no step allocates: 4 MiB.
constexpr std::size_t kStepTimesKept = std::size_t{1} << 20;

/// A run has about so many values of each of its own figures.
constexpr std::int64_t kFigures = 1000;

}  // namespace

ReplicaLoop::ReplicaLoop(const ReplicaSetup& setup, std::unique_ptr<HostSteps> own)
    : setup_(setup),
      own_(std::move(own)),
      steps_(own_ != nullptr ? own_.get() : setup.steps),
      statistics_(setup.network.statisticsCount()),
      watch_(setup.job, setup.resumed),
      plateau_(setup.job.training, setup.resumed) {
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
    std::unique_ptr<HostSteps> own;
    if (setup.steps == nullptr) own = TRY(HostSteps::make(setup));
    return ReplicaLoop(setup, std::move(own));
}

Result<TrainingOutcome> ReplicaLoop::run() {
    flushDenormals();
    enter(wire::PHASE_WAITING);
    setup_.progress.forgetShares();
    setup_.progress.collectivePlace().reset();
    setup_.communicator.showPlaceIn(setup_.progress.collectivePlace());
    if (setup_.mesh != nullptr) setup_.mesh->showPlaceIn(setup_.progress.collectivePlace());
    std::ranges::copy(setup_.statistics, statistics_.begin());
    outcome_.train = setup_.epochSoFar;
    outcome_.skippedSteps = setup_.skippedSteps;
    if (setup_.beginsAtKept)
        TRY(takeKept());
    else
        TRY(setup_.parts != nullptr ? shareParts(*setup_.parts) : shareState(setup_.whole));
    if (setup_.whole != nullptr) setup_.whole->clear();
    malloc_trim(0);  // what only the start took: whole tensors, handed out to those of a row
    const TrainingPlan& plan = setup_.plan;
    TRY(steps_->takeState(statistics_));
    outcome_.stepMilliseconds.reserve(
        std::min(kStepTimesKept, static_cast<std::size_t>(plan.totalSteps - plan.firstStep)));
    outcome_.step = plan.firstStep;
    // A file cannot say that nothing is right or wrong.
    if (!setup_.objective.hasAccuracy())
        outcome_.train.correct = std::numeric_limits<double>::quiet_NaN();
    TRY(agreeOnWatch(plan.firstStep));
    TRY(renewKeptText());
    setup_.progress.completeStep(static_cast<std::uint64_t>(plan.firstStep));
    if (setup_.events != nullptr) setup_.events->stateChanged(wire::RUN_STATE_TRAINING, "training");

    epochMark_ = SteadyClock::read();
    // Stopped while it validated: the epoch's steps are done, its end is not. What is kept of a
    // step is as it was before what comes behind it.
    if (setup_.epochEndDue || setup_.beginsAtKept) TRY(afterStep(plan.firstStep, false));
    while (outcome_.step < plan.totalSteps && !outcome_.stopped &&
           outcome_.stoppedEarlyAtEpoch == 0) {
        const std::int64_t step = TRY(trainOn());
        outcome_.step = step;
        outcome_.stopped = votes_.stop > 0 && step < plan.totalSteps;
        TRY(afterStep(step, outcome_.stopped));
    }
    TRY(finish());
    return std::move(outcome_);
}

/// Up to where something else comes; gives the last step.
Result<std::int64_t> ReplicaLoop::trainOn() {
    const TrainingPlan& plan = setup_.plan;
    const std::int64_t first = outcome_.step + 1;
    std::int64_t last = first;
    while (last < plan.totalSteps && !plan.endsEpoch(last) && !plan.wantsCheckpoint(last))
        ++last;
    enter(wire::PHASE_FORWARD);
    const auto reached = TRY(steps_->run(first, last, *this));
    if (votes_.notFinite > 0 && setup_.job.training.terminateOnNan) return fail(lossError(reached));
    TRY(steps_->bringState(statistics_));
    return reached;
}

void ReplicaLoop::stepBegins(std::int64_t step) {
    if (setup_.listener != nullptr) setup_.listener->batchBegins(batchFigures(step));
}

void ReplicaLoop::stepDone(const DoneStep& done) {
    const auto step = static_cast<std::int64_t>(done.record.step);
    votes_ = done.votes;
    lossSum_ = done.mine.lossSum;
    const bool isApplied = votes_.notFinite == 0;
    if (!isApplied && setup_.job.training.terminateOnNan) return;  // it ends the run
    if (!isApplied) noticeLeftOut(step);
    if (isApplied) addToEpoch(done);
    if (setup_.kept != nullptr && done.statistics) keepStep(done);  // before anybody hears of it
    if (setup_.ring != nullptr) setup_.ring->push(done.record);
    setup_.progress.completeStep(done.record.step);
    keepStepTime(done.record);
    outcome_.trainSeconds += double{done.record.stepMicroseconds} * 1e-6;
    outcome_.samplesTrained += done.samples;
    reportFigures(step, done);
    if (setup_.listener != nullptr)
        batchStops_ = !setup_.listener->batchEnded(batchFigures(step)) || batchStops_;
}

bool ReplicaLoop::wantsStop() const {
    return batchStops_ || setup_.stopRequested.load(std::memory_order_relaxed);
}

void ReplicaLoop::addToEpoch(const DoneStep& done) {
    outcome_.train.lossSum += done.votes.lossSum;
    outcome_.train.correct += done.votes.correct;
    outcome_.train.samples += done.votes.samples;
    for (std::size_t i = 0; i < done.mine.metrics.size(); ++i)
        epochMetrics_[i] += done.mine.metrics[i];
}

Error ReplicaLoop::lossError(std::int64_t step) const {
    if (std::isfinite(lossSum_))
        return {ErrorCode::PeerLost,
                fmt::format("another replica's loss was not a number at step {}", step)};
    return {ErrorCode::Diverged,
            fmt::format("the loss became {} at step {} on replica {}; the step was not applied",
                        lossSum_, step, replica()),
            "Lower training.learning_rate, or look for bad values in the data.\n"
            "Checkpoints written before are good: --resume continues from the newest."};
}

/// The first one is said at once, how many there were at the end.
void ReplicaLoop::noticeLeftOut(std::int64_t step) {
    ++outcome_.skippedSteps;
    if (outcome_.skippedSteps > 1 || setup_.events == nullptr) return;
    setup_.events->notice(
        fmt::format("step {} was left out: a loss was not a number; training goes on, because "
                    "training.terminate_on_nan is false",
                    step));
}

/// What this run's update does, as series beside the loss: of the whole job, so of replica 0 alone.
void ReplicaLoop::reportFigures(std::int64_t step, const DoneStep& done) {
    const std::int64_t every = std::max<std::int64_t>(setup_.plan.totalSteps / kFigures, 1);
    const bool isWanted = step % every == 0 || step == 1 || setup_.plan.endsEpoch(step);
    if (setup_.events == nullptr || !isWanted) return;
    setup_.events->figure("train/learning_rate", step, done.learningRate);
    if (done.gradientNorm) setup_.events->figure("train/gradient_norm", step, *done.gradientNorm);
}

/// The newest kStepTimesKept, in any order: they are for percentiles.
void ReplicaLoop::keepStepTime(const telemetry::StepRecord& record) {
    std::vector<float>& times = outcome_.stepMilliseconds;
    const float milliseconds = record.stepMicroseconds * 1e-3F;
    if (times.size() < kStepTimesKept)
        times.push_back(milliseconds);
    else
        times[record.step % kStepTimesKept] = milliseconds;
}

BatchFigures ReplicaLoop::batchFigures(std::int64_t step) const {
    return {.epoch = setup_.plan.epochOf(step),
            .batch = (step - 1) % setup_.plan.stepsPerEpoch,
            .step = step,
            .loss = outcome_.train.loss(),
            .accuracy = outcome_.train.accuracy()};
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
        TRY(renewKeptText());
    }
    return {};
}

/// Statistics that each replica keeps for itself are averaged before anybody uses them.
Result<void> ReplicaLoop::settleStatistics() {
    if (!setup_.network.hasLocalStatistics()) return {};
    TRY(averageOverReplicas(setup_.communicator, statistics_));
    return steps_->takeState(statistics_);
}

Result<void> ReplicaLoop::finish() {
    TRY(settleStatistics());
    if (!outcome_.stopped) {
        if (setup_.events != nullptr)
            setup_.events->stateChanged(wire::RUN_STATE_TESTING, "testing");
        TRY(restoreBest());
        if (setup_.data.test->count > 0) {
            auto score = TRY(scoreTogether(ScoredSplit::Test));
            outcome_.test = score;
            outcome_.stopped = !score.has_value();  // a resume tests again
        }
    }
    std::vector<std::span<const float>> parts{setup_.communicator.parameters()};
    for (const std::span<float> moment : moments())
        parts.emplace_back(moment);
    if (!statistics_.empty()) parts.emplace_back(statistics_);
    const std::string hash = tensor::stateHash(parts);
    TRY(agreeOnHash(hash));
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

}  // namespace lockstep::train
