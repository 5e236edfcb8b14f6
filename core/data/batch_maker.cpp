// SPDX-License-Identifier: Apache-2.0
#include "core/data/batch_maker.h"

#include <algorithm>
#include <cstring>

namespace lockstep::data {

namespace {

std::size_t roundUp(std::size_t bytes) {
    return (bytes + BatchMaker::kAlignment - 1) / BatchMaker::kAlignment * BatchMaker::kAlignment;
}

/// Labels of a sample that are another class.
std::uint64_t countedItems(const Split& split, std::uint32_t index, int ignoredClass) {
    const auto target = split.target(index);
    std::uint64_t counted = 0;
    for (std::size_t at = 0; at < target.size(); at += sizeof(std::uint16_t)) {
        std::uint16_t label = 0;
        std::memcpy(&label, target.data() + at, sizeof label);
        counted += label != ignoredClass ? 1 : 0;
    }
    return counted;
}

}  // namespace

void gather(const Split& split, std::span<const std::uint32_t> indices, std::uint8_t* inputs,
            std::uint8_t* targets) {
    for (const std::uint32_t index : indices) {
        const auto input = split.input(index);
        inputs = std::ranges::copy(input, inputs).out;
        const auto target = split.target(index);
        targets = std::ranges::copy(target, targets).out;
    }
}

BatchMaker::BatchMaker(std::shared_ptr<const Split> split, const BatchPlan& plan, int replica,
                       std::shared_ptr<const Augmenter> augmenter, int ignoredClass)
    : split_(std::move(split)),
      plan_(plan),
      replica_(replica),
      augmenter_(std::move(augmenter)),
      ignoredClass_(ignoredClass) {
    const std::size_t most = plan.largestShare();
    const std::size_t targetBytes = roundUp(most * split_->bytesPerTarget());
    targets_ = roundUp(most * split_->bytesPerSample());
    others_ = targets_ + targetBytes;
    const bool mixes = augmenter_ != nullptr && augmenter_->mixesSamples();
    shares_ = others_ + (mixes ? targetBytes : 0);
    bytes_ = shares_ + (mixes ? roundUp(most * sizeof(float)) : 0);
}

Batch BatchMaker::make(std::int64_t step, std::span<const std::uint32_t> order,
                       Augmenter::Workspace& workspace, std::uint8_t* memory) const {
    const SampleRange share = plan_.share(step, replica_);
    Batch batch{.step = step,
                .epoch = plan_.positionOf(step).epoch,
                .count = share.count,
                .globalCount = plan_.stepSamples(step),
                .globalItems = itemsOf(step, order),
                .inputs = memory,
                .inputKind = split_->inputKind,
                .targets = memory + targets_};
    if (augmenter_ == nullptr) {
        gather(*split_, order.subspan(share.first, share.count), memory, memory + targets_);
        return batch;
    }
    augment(share, step, order, workspace, memory);
    if (augmenter_->mixesSamples()) {
        batch.otherTargets = memory + others_;
        batch.shares = reinterpret_cast<const float*>(memory + shares_);
    }
    return batch;
}

/// What counts of the samples of all replicas: every process can tell, for all know the order.
std::uint64_t BatchMaker::itemsOf(std::int64_t step, std::span<const std::uint32_t> order) const {
    const SampleRange whole = plan_.globalBatch(step);
    std::uint64_t items = 0;
    if (ignoredClass_ < 0) {
        const bool isText = split_->targetKind == TargetKind::NextToken;
        items = std::uint64_t{whole.count} * (isText ? split_->features() : 1);
    } else {
        for (const std::uint32_t index : order.subspan(whole.first, whole.count))
            items += countedItems(*split_, index, ignoredClass_);
    }
    return items * static_cast<std::uint64_t>(plan_.copies());
}

void BatchMaker::augment(const SampleRange& share, std::int64_t step,
                         std::span<const std::uint32_t> order, Augmenter::Workspace& workspace,
                         std::uint8_t* memory) const {
    const SampleRange whole = plan_.globalBatch(step);
    SamplePlace place{.epoch = plan_.positionOf(step).epoch,
                      .globalBatch = order.subspan(whole.first, whole.count)};
    const Augmenter::ReadImage read = [this](std::uint32_t sample) {
        return split_->input(sample);
    };
    const bool mixes = augmenter_->mixesSamples();
    const std::size_t sampleBytes = split_->bytesPerSample();
    const std::size_t targetBytes = split_->bytesPerTarget();
    for (std::size_t i = 0; i < share.count; ++i) {
        place.sample = order[share.first + i];
        const Mixture mixture = augmenter_->apply(place, read, workspace, memory + i * sampleBytes);
        std::ranges::copy(split_->target(place.sample), memory + targets_ + i * targetBytes);
        if (!mixes) continue;
        const std::uint32_t other = mixture.share < 1 ? mixture.partner : place.sample;
        std::ranges::copy(split_->target(other), memory + others_ + i * targetBytes);
        std::memcpy(memory + shares_ + i * sizeof(float), &mixture.share, sizeof(float));
    }
}

}  // namespace lockstep::data
