// SPDX-License-Identifier: Apache-2.0
// The steps of a replica that is alone on a GPU: batches, loss and metrics are made here, weights
// and their updates stay there.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

#include "core/base/record_clock.h"
#include "core/base/try.h"
#include "core/data/batch_sum.h"
#include "core/optim/optimizer.h"
#include "core/train/replica/batch_floats.h"
#include "core/train/replica/device_record.h"
#include "core/train/replica/gpu_program.h"
#include "core/train/replica/host_steps.h"

namespace lockstep::train {

namespace {

constexpr std::chrono::seconds kBatchTimeout{60};
constexpr std::chrono::seconds kStepTimeout{600};

}  // namespace

/// Null: the host updates.
Result<std::unique_ptr<tensor::StepEngine>> HostSteps::makeEngine(const ReplicaSetup& setup) {
    const config::TrainingSpec& training = setup.job.training;
    const bool isAlone = setup.mesh == nullptr && setup.replicaCount() == 1;
    if (!setup.place.gpu || !isAlone || !updatesOnDevice(training)) return nullptr;
    auto engine = TRY(program::makeCudaEngine(
        fedPrograms(training, setup.network, setup.batches.largestShare(), setup.plan.seed),
        {.device = *setup.place.gpu, .precision = setup.place.precision}));
    std::fprintf(stderr, "gpu:%d: %s\n", *setup.place.gpu, engine->describe().c_str());
    return engine;
}

Result<std::int64_t> HostSteps::runOnGpu(std::int64_t first, std::int64_t last, StepWatch& watch) {
    for (std::int64_t step = first;; ++step) {
        enter(wire::PHASE_DATA);
        const auto batch = TRY(prefetcher_->next(kBatchTimeout));
        if (setup_.batchWatch)
            setup_.batchWatch(
                step, data::batchSum(batch, *setup_.data.train,
                                     setup_.batches.placeInStep(batch.step, setup_.replica())));
        if (setup_.faults != nullptr && setup_.faults->isPending()) sufferDrill(step);
        const bool isStopped = TRY(stepOnGpu(batch, step, watch));
        const bool endsRun = !std::isfinite(score_.lossSum) && setup_.job.training.terminateOnNan;
        if (step < last && !isStopped && !endsRun) continue;
        TRY(tell(watch));
        return step;
    }
}

tensor::EngineStep HostSteps::describe(const data::Batch& batch) const {
    const config::TrainingSpec& training = setup_.job.training;
    const std::int64_t step = batch.step + 1;
    const double rate = update_.rateAt(step);
    return {.count = batch.count,
            .allCount = batch.count,
            .adamStepSize =
                static_cast<float>(optim::adamStepSize(rate, training.beta1, training.beta2, step)),
            .learningRate = static_cast<float>(rate),
            .decay = static_cast<float>(rate * training.weightDecay),
            .index = static_cast<std::uint64_t>(batch.step),
            .firstPlace = setup_.batches.placeInStep(batch.step, setup_.communicator.replica())};
}

/// The step is enqueued, and the one before it is told of, when it returns: the device goes on with
/// this one's backward pass while the next batch is prepared. True: it was asked to be the last.
Result<bool> HostSteps::stepOnGpu(const data::Batch& batch, std::int64_t step, StepWatch& watch) {
    const data::Split& split = *setup_.data.train;
    fillFloats(batch.inputKind, {batch.inputs, batch.count * split.bytesPerSample()},
               engine_->samplesOfStep().first(batch.count * setup_.network.inputFeatures()));
    enter(wire::PHASE_FORWARD);
    const auto outputs = TRY(engine_->forward(describe(batch)));
    // Not earlier: the step before it would be the last one there.
    const bool isStopped = watch.wantsStop();
    if (isStopped) engine_->requestStop();
    const bool followsAnother = untold_.has_value();
    if (followsAnother) TRY(tell(watch));
    score_.lossSum = score_.correct = score_.samples = 0;
    std::ranges::fill(score_.metrics, 0.0);
    addLoss(batch, 0, batch.count, outputs, engine_->outputGradient());
    if (std::exchange(isNanDue_, false)) score_.lossSum = std::numeric_limits<double>::quiet_NaN();
    enter(wire::PHASE_BACKWARD);
    if (slowBy_ > Nanos{}) dragOn();
    TRY(engine_->backward({score_.lossSum, score_.correct, score_.samples}));
    untold_ = Untold{.step = step,
                     .followsAnother = followsAnother,
                     .score = score_,
                     .samples = static_cast<double>(batch.globalCount),
                     .rate = update_.rateAt(step)};
    return isStopped;
}

Result<void> HostSteps::tell(StepWatch& watch) {
    const auto figures = TRY(engine_->collect(kStepTimeout));
    const tensor::EngineFigures& one = figures.front();
    const Untold told = *std::exchange(untold_, std::nullopt);
    record_ = deviceRecord(told.step, one, recordSeconds(), told.followsAnother);
    watch.stepBegins(told.step);
    watch.stepDone(
        {.record = record_,
         .votes = {one.all.lossSum, one.all.correct, one.all.samples, one.stop, one.notFinite},
         .mine = told.score,
         .samples = told.samples,
         .learningRate = told.rate,
         .gradientNorm = update_.needsNorms() ? std::optional(one.gradientNorm) : std::nullopt});
    return {};
}

}  // namespace lockstep::train
