// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/result.h"

namespace lockstep::data {

/// Where a step lies: both counted from 0.
struct BatchPosition {
    std::int64_t epoch = 0;
    std::int64_t stepInEpoch = 0;
};

/// Places [first, first + count) in the order of an epoch.
struct SampleRange {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

/// Which samples each replica sees at each step, as a pure function of its five numbers: nothing
/// has to be stored to resume. Together the replicas see at step s of an epoch exactly what one
/// replica would: places [s*B, min((s+1)*B, count)) of the epoch's order. Every epoch has its own
/// order. Steps are counted from 0 over all epochs.
class BatchPlan {
public:
    /// BadInput when there is nothing to train on or the batch is smaller than the replicas.
    [[nodiscard]] static Result<BatchPlan> make(std::uint32_t samples, std::uint32_t globalBatch,
                                                int replicas, std::uint64_t seed);

    [[nodiscard]] std::int64_t stepsPerEpoch() const;
    [[nodiscard]] BatchPosition positionOf(std::int64_t globalStep) const;
    /// The global batch of a step; the last of an epoch may be smaller.
    [[nodiscard]] SampleRange globalBatch(std::int64_t globalStep) const;
    /// The contiguous part of it that `replica` computes. Parts differ by at most one sample; in a
    /// small last batch a part may be empty.
    [[nodiscard]] SampleRange share(std::int64_t globalStep, int replica) const;
    /// The largest share any replica has at any step.
    [[nodiscard]] std::uint32_t largestShare() const;
    /// Sample at each place of the epoch.
    [[nodiscard]] std::vector<std::uint32_t> epochOrder(std::int64_t epoch) const;
    [[nodiscard]] int replicas() const { return replicas_; }
    [[nodiscard]] std::uint32_t samples() const { return samples_; }

private:
    BatchPlan(std::uint32_t samples, std::uint32_t globalBatch, int replicas, std::uint64_t seed)
        : samples_(samples), globalBatch_(globalBatch), replicas_(replicas), seed_(seed) {}

    std::uint32_t samples_;
    std::uint32_t globalBatch_;
    int replicas_;
    std::uint64_t seed_;
};

}  // namespace lockstep::data
