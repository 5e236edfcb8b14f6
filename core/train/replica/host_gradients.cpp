// SPDX-License-Identifier: Apache-2.0
// How a replica gets the gradients of its share of a step, whole or in parts.
#include <algorithm>

#include "core/train/replica/host_steps.h"

#include "core/base/try.h"
#include "core/train/replica/batch_floats.h"

namespace lockstep::train {

namespace {

float microseconds(Nanos duration) {
    return static_cast<float>(duration.count()) * 1e-3F;
}

}  // namespace

/// Parts are computed one after the other. Only the last one's gradients travel, with those of the
/// parts before; so its votes know the whole step's loss.
Result<void> HostSteps::computeGradients(const data::Batch& batch, const StepWatch& watch) {
    score_.lossSum = score_.correct = score_.samples = 0;
    std::ranges::fill(score_.metrics, 0.0);
    if (!setup_.job.training.terminateOnNan)
        std::ranges::copy(statistics_, statisticsBefore_.begin());
    record_.forwardMicroseconds = record_.backwardMicroseconds = record_.allReduceMicroseconds = 0;
    const auto parts = static_cast<std::uint64_t>(setup_.job.training.gradientAccumulationSteps);
    for (std::uint64_t part = 0; part < parts; ++part) {
        const auto begin = static_cast<std::uint32_t>(batch.count * part / parts);
        const auto end = static_cast<std::uint32_t>(batch.count * (part + 1) / parts);
        enter(wire::PHASE_FORWARD);
        TRY(forward(batch, begin, end - begin));
        const float inForward = microseconds(takeWaiting());
        record_.forwardMicroseconds += lap() - inForward;
        enter(wire::PHASE_BACKWARD);
        const bool isLast = part + 1 == parts;
        if (isLast) TRY(vote(watch.wantsStop()));
        TRY(isLast ? backward() : backwardOfPart(part == 0));
        const float inBackward = microseconds(takeWaiting());
        record_.backwardMicroseconds += lap() - inBackward;
        record_.allReduceMicroseconds += inForward + inBackward;
    }
    return {};
}

/// A replica without samples in a small last batch takes part in the sums all the same.
Result<void> HostSteps::forward(const data::Batch& batch, std::uint32_t begin,
                                std::uint32_t count) {
    const tensor::Matrix samples{samples_.as<float>().data(), count,
                                 setup_.network.inputFeatures()};
    const data::Split& split = *setup_.data.train;
    if (count > 0)
        fillFloats(batch.inputKind,
                   {batch.inputs + begin * split.bytesPerSample(), count * split.bytesPerSample()},
                   samples.flat());
    const auto outputs = TRY(executor_->forward(
        {.samples = samples.flat(),
         .rows = count,
         .seed = setup_.plan.seed,
         .step = batch.step,
         .firstPlace =
             setup_.batches.placeInStep(batch.step, setup_.communicator.replica()) + begin},
        setup_.communicator.parameters(), statistics_, sum_));
    if (count > 0) addLoss(batch, begin, count, outputs, executor_->outputGradient());
    return {};
}

void HostSteps::addLoss(const data::Batch& batch, std::uint32_t begin, std::uint32_t count,
                        std::span<const float> outputs, std::span<float> gradient) {
    const data::Split& split = *setup_.data.train;
    const std::size_t first = begin * split.bytesPerTarget();
    const std::size_t targetBytes = count * split.bytesPerTarget();
    BatchTargets targets = targets_.take(split.targetKind, {batch.targets + first, targetBytes});
    if (batch.otherTargets != nullptr)
        targets = targets_.mix(targets, {batch.otherTargets + first, targetBytes},
                               {batch.shares + begin, count});
    // Where every sample is ignored there is nothing to divide by, and no gradient.
    const float scale = 1.0F / static_cast<float>(std::max<std::uint64_t>(batch.globalItems, 1));
    setup_.objective.add(outputs, targets, Objective::Use::Training, scale, gradient, score_);
}

/// Buckets of gradients travel while those of the layers below are still computed.
Result<void> HostSteps::backward() {
    collective::Communicator& communicator = setup_.communicator;
    posted_ = 0;
    TRY(executor_->backward(communicator.parameters(), communicator.gradients(), sum_,
                            [this](std::size_t begin) { postFrom(begin); }));
    postFrom(0);
    return {};
}

/// Of a part that others follow: its gradients stay here.
Result<void> HostSteps::backwardOfPart(bool isFirst) {
    const std::span<float> gradients = setup_.communicator.gradients();
    TRY(executor_->backward(setup_.communicator.parameters(), gradients, sum_, {}));
    if (isFirst)
        std::ranges::copy(gradients, accumulated_.begin());
    else
        addTo(accumulated_, gradients);
    return {};
}

void HostSteps::addTo(std::span<float> sums, std::span<const float> values) {
    for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] += values[i];
}

void HostSteps::postFrom(std::size_t begin) {
    while (posted_ < buckets_.size() && buckets_[posted_].begin >= begin) {
        const collective::Range& bucket = buckets_[posted_];
        if (!accumulated_.empty())
            addTo(setup_.communicator.gradients().subspan(bucket.begin, bucket.size()),
                  std::span(accumulated_).subspan(bucket.begin, bucket.size()));
        setup_.communicator.post(posted_++);
    }
}

}  // namespace lockstep::train
