// SPDX-License-Identifier: Apache-2.0
#include "core/data/batch_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/base/plural.h"
#include "core/base/rng.h"

namespace lockstep::data {

namespace {

/// The streams of a job's seed below this one initialise its layers: the order of the samples must
/// not be drawn from the same numbers.
constexpr std::uint64_t kFirstStream = std::uint64_t{1} << 32;

}  // namespace

Result<BatchPlan> BatchPlan::make(std::uint32_t samples, std::uint32_t globalBatch, int replicas,
                                  std::uint64_t seed, int copies) {
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
    return BatchPlan(samples, globalBatch / static_cast<std::uint32_t>(copies), replicas, seed,
                     copies);
}

std::int64_t BatchPlan::stepsPerEpoch() const {
    return (std::int64_t{samples_} + batch_ - 1) / batch_;
}

BatchPosition BatchPlan::positionOf(std::int64_t globalStep) const {
    LS_CHECK(globalStep >= 0, "steps are counted from 0");
    return {globalStep / stepsPerEpoch(), globalStep % stepsPerEpoch()};
}

SampleRange BatchPlan::globalBatch(std::int64_t globalStep) const {
    const std::int64_t first = positionOf(globalStep).stepInEpoch * batch_;
    const std::int64_t count = std::min<std::int64_t>(batch_, samples_ - first);
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(count)};
}

SampleRange BatchPlan::share(std::int64_t globalStep, int replica) const {
    LS_CHECK(replica >= 0 && replica < replicas_, "a replica's index is below their number");
    const SampleRange batch = globalBatch(globalStep);
    const auto parts = static_cast<std::uint32_t>(replicas_ / copies_);
    const auto part = static_cast<std::uint32_t>(replica) % parts;
    const std::uint32_t least = batch.count / parts;
    const std::uint32_t withOneMore = batch.count % parts;
    return {batch.first + part * least + std::min(part, withOneMore),
            least + (part < withOneMore ? 1 : 0)};
}

std::uint32_t BatchPlan::largestShare() const {
    const auto parts = static_cast<std::uint32_t>(replicas_ / copies_);
    const std::uint32_t batch = std::min(batch_, samples_);
    return batch / parts + (batch % parts > 0 ? 1 : 0);
}

std::vector<std::uint32_t> BatchPlan::epochOrder(std::int64_t epoch) const {
    return permutation(samples_, seed_, kFirstStream + static_cast<std::uint64_t>(epoch));
}

}  // namespace lockstep::data
