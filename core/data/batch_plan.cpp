// SPDX-License-Identifier: Apache-2.0
#include "core/data/batch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/check.h"
#include "core/base/plural.h"
#include "core/base/try.h"

namespace lockstep::data {

namespace {

/// Of samples that are dealt out in parts as equal as they can be.
std::uint32_t partOf(std::uint32_t samples, std::uint32_t parts, std::uint32_t part) {
    return samples / parts + (part < samples % parts ? 1 : 0);
}

}  // namespace

Result<BatchPlan> BatchPlan::make(std::uint32_t samples, std::uint32_t globalBatch, int replicas,
                                  std::uint64_t seed, int copies, const SampleOrder& order) {
    if (samples == 0) return fail(ErrorCode::BadInput, "there are no samples to train on");
    if (replicas < 1)
        return fail(ErrorCode::BadInput, counted(replicas, "replica") + " cannot train");
    if (globalBatch < static_cast<std::uint32_t>(replicas))
        return fail(ErrorCode::BadInput,
                    fmt::format("a global batch of {} cannot be split between {}", globalBatch,
                                counted(replicas, "replica")),
                    fmt::format("Set training.global_batch_size to {} or more.", replicas));
    if (copies < 1 || replicas % copies != 0 ||
        globalBatch % static_cast<std::uint32_t>(copies) != 0)
        return fail(ErrorCode::BadInput,
                    fmt::format("a global batch of {} for {} has no {} equal parts", globalBatch,
                                counted(replicas, "replica"), copies),
                    fmt::format("Set training.global_batch_size to a multiple of {}.", copies));
    const std::uint32_t batch = globalBatch / static_cast<std::uint32_t>(copies);
    if (order.dropRemainder && samples < batch)
        return fail(
            ErrorCode::BadInput,
            fmt::format("{} no whole batch of {}, and data.drop_remainder leaves out what "
                        "is less: there is nothing to train on",
                        counted(samples, "sample") + (samples == 1 ? " is" : " are"), batch),
            "Set data.drop_remainder = false, or a smaller batch.");
    return BatchPlan(samples, batch, replicas, seed, copies, order);
}

Result<BatchPlan> BatchPlan::makeSharded(SampleShards shards, std::uint32_t globalBatch,
                                         int replicas, std::uint64_t seed,
                                         const SampleOrder& order) {
    std::vector<std::uint32_t> sizes;
    std::uint32_t samples = 0;
    for (const auto& shard : shards) {
        std::uint32_t size = 0;
        for (const SampleRange& range : shard)
            size += range.count;
        if (size == 0)
            return fail(ErrorCode::BadInput,
                        fmt::format("process {} has no samples: its files hold none to train on",
                                    sizes.size()),
                        "Give every process a file with samples, or set data.auto_shard to "
                        "\"data\".");
        sizes.push_back(size);
        samples += size;
    }
    // A copy of nothing: what is checked is the same.
    auto plan = TRY(make(samples, globalBatch, replicas, seed, static_cast<int>(shards.size())));
    plan.copies_ = 1;
    plan.order_ = order;
    plan.shardSizes_ = std::move(sizes);
    plan.shards_ = std::make_shared<const SampleShards>(std::move(shards));
    if (plan.stepsPerEpoch() == 0)
        return fail(ErrorCode::BadInput,
                    fmt::format("no process has a whole batch of {}, and data.drop_remainder "
                                "leaves out what is less: there is nothing to train on",
                                plan.batch_),
                    "Set data.drop_remainder = false, or a smaller batch.");
    return plan;
}

std::int64_t BatchPlan::stepsOf(std::uint32_t samples) const {
    return (std::int64_t{samples} + (order_.dropRemainder ? 0 : batch_ - 1)) / batch_;
}

std::int64_t BatchPlan::stepsPerEpoch() const {
    if (!shards_) return stepsOf(samples_);
    return stepsOf(*std::ranges::max_element(shardSizes_));
}

BatchPosition BatchPlan::positionOf(std::int64_t globalStep) const {
    LS_CHECK(globalStep >= 0, "steps are counted from 0");
    return {globalStep / stepsPerEpoch(), globalStep % stepsPerEpoch()};
}

int BatchPlan::groups() const {
    return shards_ ? static_cast<int>(shards_->size()) : copies_;
}

std::uint32_t BatchPlan::seenBefore(std::size_t group, std::int64_t stepInEpoch) const {
    const std::uint32_t size = shardSizes_[group];
    const std::int64_t used = order_.dropRemainder ? size / batch_ * batch_ : size;
    return static_cast<std::uint32_t>(std::min(stepInEpoch * batch_, used));
}

/// The places of the group's part of a step.
SampleRange BatchPlan::groupBatch(std::int64_t globalStep, std::size_t group) const {
    const std::int64_t step = positionOf(globalStep).stepInEpoch;
    SampleRange places;
    for (std::size_t other = 0; other < shardSizes_.size(); ++other) {
        places.first += seenBefore(other, other < group ? step + 1 : step);
        if (other == group) places.count = seenBefore(other, step + 1) - seenBefore(other, step);
    }
    return places;
}

SampleRange BatchPlan::globalBatch(std::int64_t globalStep) const {
    if (shards_) {
        const SampleRange first = groupBatch(globalStep, 0);
        const SampleRange last = groupBatch(globalStep, shardSizes_.size() - 1);
        return {first.first, last.first + last.count - first.first};
    }
    const std::int64_t first = positionOf(globalStep).stepInEpoch * batch_;
    const std::int64_t count = std::min<std::int64_t>(batch_, samples_ - first);
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)};
}

SampleRange BatchPlan::share(std::int64_t globalStep, int replica) const {
    LS_CHECK(replica >= 0 && replica < replicas_, "a replica's index is below their number");
    const auto parts = static_cast<std::uint32_t>(replicas_ / groups());
    const SampleRange batch =
        shards_ ? groupBatch(globalStep, static_cast<std::uint32_t>(replica) / parts)
                : globalBatch(globalStep);
    const auto part = static_cast<std::uint32_t>(replica) % parts;
    const std::uint32_t least = batch.count / parts;
    const std::uint32_t withOneMore = batch.count % parts;
    return {batch.first + part * least + std::min(part, withOneMore),
            partOf(batch.count, parts, part)};
}

std::uint32_t BatchPlan::largestShare() const {
    const auto parts = static_cast<std::uint32_t>(replicas_ / groups());
    const std::uint32_t largest = shards_ ? *std::ranges::max_element(shardSizes_) : samples_;
    return partOf(std::min(batch_, largest), parts, 0);
}

std::uint32_t BatchPlan::groupSamples(int group) const {
    return shards_ ? shardSizes_[static_cast<std::size_t>(group)] : samples_;
}

std::uint64_t BatchPlan::samplesOf(int replica) const {
    const int each = replicas_ / groups();
    const auto parts = static_cast<std::uint32_t>(each);
    const auto part = static_cast<std::uint32_t>(replica % each);
    const std::uint32_t samples = groupSamples(replica / each);
    const std::uint32_t rest = order_.dropRemainder ? 0 : samples % batch_;
    return std::uint64_t{samples / batch_} * partOf(batch_, parts, part) +
           partOf(rest, parts, part);
}

double BatchPlan::unevenness() const {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    const auto parts = static_cast<std::uint32_t>(replicas_ / groups());
    auto least = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t most = 0;
    for (int replica = 0; replica < replicas_; ++replica) {
        least = std::min(least, samplesOf(replica));
        most = std::max(most, samplesOf(replica));
    }
    std::int64_t shortest = stepsPerEpoch();
    bool hasWholeStep = false;
    for (int group = 0; group < groups(); ++group) {
        shortest = std::min(shortest, stepsOf(groupSamples(group)));
        hasWholeStep = hasWholeStep || groupSamples(group) >= batch_;
    }
    // Whose samples are used up has nothing to do for the rest of an epoch.
    if (least == 0 || stepsPerEpoch() - shortest > 1) return kInfinite;
    const double ofEpoch = static_cast<double>(most) / static_cast<double>(least);
    const double ofStep = static_cast<double>(partOf(batch_, parts, 0)) /
                          static_cast<double>(partOf(batch_, parts, parts - 1));
    return hasWholeStep ? std::max(ofEpoch, ofStep) : ofEpoch;
}

std::vector<std::uint32_t> BatchPlan::epochOrder(std::int64_t epoch) const {
    return shards_ ? shardedOrder(epoch) : sampleOrder(samples_, seed_, epoch, order_);
}

/// Steps one behind the other, in each the groups; behind them what is left out.
std::vector<std::uint32_t> BatchPlan::shardedOrder(std::int64_t epoch) const {
    std::vector<std::vector<std::uint32_t>> orders;
    for (std::size_t group = 0; group < shards_->size(); ++group) {
        std::vector<std::uint32_t> own;
        for (const SampleRange& range : (*shards_)[group])
            for (std::uint32_t i = 0; i < range.count; ++i)
                own.push_back(range.first + i);
        auto& order = orders.emplace_back();
        // Each group draws by itself, as if it were alone with a seed of its own.
        for (const std::uint32_t place :
             sampleOrder(shardSizes_[group], seed_ + 0x9e3779b97f4a7c15U * group, epoch, order_))
            order.push_back(own[place]);
    }
    std::vector<std::uint32_t> all;
    all.reserve(samples_);
    const auto append = [&](std::size_t group, std::uint32_t begin, std::uint32_t end) {
        const auto from = orders[group].begin();
        all.insert(all.end(), from + begin, from + end);
    };
    const std::int64_t steps = stepsPerEpoch();
    for (std::int64_t step = 0; step < steps; ++step)
        for (std::size_t group = 0; group < orders.size(); ++group)
            append(group, seenBefore(group, step), seenBefore(group, step + 1));
    for (std::size_t group = 0; group < orders.size(); ++group)
        append(group, seenBefore(group, steps), shardSizes_[group]);
    return all;
}

}  // namespace lockstep::data
