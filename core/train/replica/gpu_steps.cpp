// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/gpu_steps.h"

#include <algorithm>
#include <vector>

#include "core/base/record_clock.h"
#include "core/base/try.h"
#include "core/optim/optimizer.h"
#include "core/train/replica/device_record.h"
#include "core/train/replica/gpu_program.h"

namespace lockstep::train {

namespace {

/// Of one window: longer than the slowest thing a peer may do meanwhile.
constexpr std::chrono::seconds kWindowTimeout{600};
/// Between them a stop is heard: some milliseconds of a GPU.
constexpr std::uint32_t kScoredAtATime = 16384;

std::vector<std::span<float>> momentsOf(collective::Communicator& communicator, int count) {
    std::vector<std::span<float>> moments;
    for (int i = 0; i < count; ++i)
        moments.push_back(communicator.moments(i));
    return moments;
}

}  // namespace

GpuSteps::GpuSteps(std::unique_ptr<tensor::StepEngine> engine, const config::TrainingSpec& training,
                   const data::BatchPlan& batches, collective::Communicator& communicator,
                   double stepOperations, MeshMember* mesh)
    : engine_(std::move(engine)),
      training_(training),
      batches_(batches),
      communicator_(communicator),
      schedule_(training, batches.stepsPerEpoch()),
      window_(windowFor(stepOperations)),
      mesh_(mesh),
      moments_(static_cast<int>(updateOf(training).momentCount())) {}

std::size_t GpuSteps::windowFor(double stepOperations) {
    constexpr double kWindowSeconds = 0.01;
    constexpr double kLatency = 20e-6;
    constexpr double kOperationsPerSecond = 20e12;
    const double step = kLatency + stepOperations / kOperationsPerSecond;
    return std::clamp<std::size_t>(static_cast<std::size_t>(kWindowSeconds / step), 1,
                                   tensor::StepEngine::kWindow);
}

Result<void> GpuSteps::takeState(std::span<const float> statistics) {
    return engine_->upload(communicator_.parameters(), statistics,
                           momentsOf(communicator_, moments_));
}

Result<void> GpuSteps::bringState(std::span<float> statistics) {
    return engine_->download(communicator_.parameters(), statistics,
                             momentsOf(communicator_, moments_));
}

/// A mesh's row scores together: its members stop behind the same piece.
Result<bool> GpuSteps::stops(const std::atomic<bool>& stop) {
    const bool mine = stop.load(std::memory_order_relaxed);
    return mesh_ != nullptr ? mesh_->isAnybodys(mine) : Result<bool>(mine);
}

Result<SplitScore> GpuSteps::score(ScoredSplit split, std::uint32_t first, std::uint32_t count,
                                   const std::atomic<bool>& stop) {
    const auto index = split == ScoredSplit::Validation ? kValidationSplit : kTestSplit;
    const std::uint32_t end = first + count;
    SplitScore sum;
    while (first < end && !TRY(stops(stop))) {
        const std::uint32_t piece = std::min(kScoredAtATime, end - first);
        const auto totals = TRY(engine_->score(index, first, piece));
        sum.add({totals.lossSum, totals.correct, totals.samples, totals.samples});
        first += piece;
    }
    return sum;
}

double GpuSteps::rateAt(std::int64_t step) const {
    return decidedRate_ > 0 ? decidedRate_ : schedule_.rateAt(step);
}

tensor::EngineStep GpuSteps::describe(std::int64_t step) const {
    const data::SampleRange share = batches_.share(step - 1, communicator_.replica());
    tensor::EngineStep one;
    one.first = share.first;
    one.count = share.count;
    one.allCount = batches_.stepSamples(step - 1);
    one.gradientScale = 1.0F / static_cast<float>(one.allCount);
    const double rate = rateAt(step);
    one.learningRate = static_cast<float>(rate);
    one.adamStepSize =
        static_cast<float>(optim::adamStepSize(rate, training_.beta1, training_.beta2, step));
    one.decay = static_cast<float>(rate * training_.weightDecay);
    one.index = static_cast<std::uint64_t>(step - 1);
    one.firstPlace = batches_.placeInStep(step - 1, communicator_.replica());
    return one;
}

Result<void> GpuSteps::orderFor(std::int64_t step) {
    const std::int64_t epoch = batches_.positionOf(step - 1).epoch;
    if (epoch == epoch_) return {};
    auto sent = engine_->setOrder(batches_.epochOrder(epoch));
    if (sent) epoch_ = epoch;
    return sent;
}

Result<void> GpuSteps::enqueue(std::int64_t first, std::int64_t last) {
    std::vector<tensor::EngineStep> steps;
    for (std::int64_t step = first; step <= last; ++step)
        steps.push_back(describe(step));
    return engine_->enqueue(steps);
}

Result<std::int64_t> GpuSteps::run(std::int64_t first, std::int64_t last, StepWatch& watch) {
    if (auto sent = orderFor(first); !sent) return fail(std::move(sent).error());
    std::int64_t next = first;       // not enqueued
    std::int64_t collected = first;  // not handed out
    bool ended = false;
    std::int64_t end = last;
    while (!ended || engine_->underWay() > 0) {
        if (watch.wantsStop()) engine_->requestStop();
        while (!ended && next <= last && engine_->underWay() < 2) {
            const auto window = static_cast<std::int64_t>(window_);
            const std::int64_t until = std::min(last, next + window - 1);
            if (auto sent = enqueue(next, until); !sent) return fail(std::move(sent).error());
            next = until + 1;
        }
        const auto figures = TRY(engine_->collect(kWindowTimeout));
        newestStamp_ = figures.back().stamps[5];
        newestTime_ = recordSeconds();
        for (const tensor::EngineFigures& one : figures) {
            if (ended) break;  // steps behind the one that ends it changed nothing
            tell(collected, one, watch);
            ended = one.stop > 0 || collected == last ||
                    (one.notFinite > 0 && training_.terminateOnNan);
            if (ended) end = collected;
            ++collected;
        }
    }
    return end;
}

void GpuSteps::tell(std::int64_t step, const tensor::EngineFigures& figures,
                    StepWatch& watch) const {
    const telemetry::StepRecord record = recordOf(step, figures);
    const SplitScore mine{figures.mine.lossSum, figures.mine.correct, figures.mine.samples};
    watch.stepBegins(step);
    watch.stepDone({.record = record,
                    .votes = {figures.all.lossSum, figures.all.correct, figures.all.samples,
                              figures.stop, figures.notFinite},
                    .mine = mine,
                    .samples = static_cast<double>(batches_.stepSamples(step - 1)),
                    .learningRate = rateAt(step)});
}

telemetry::StepRecord GpuSteps::recordOf(std::int64_t step,
                                         const tensor::EngineFigures& figures) const {
    // The device's clock has another beginning; the newest step ended just now.
    const double end = newestTime_ - static_cast<double>(newestStamp_ - figures.stamps[5]) * 1e-9;
    // The first step has none before it, and a pause between steps belongs to no step.
    const bool followsAnother = step > 1 && batches_.positionOf(step - 1).stepInEpoch > 0;
    return deviceRecord(step, figures, end, followsAnother);
}

}  // namespace lockstep::train
