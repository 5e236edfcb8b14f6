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
///
/// With `copies` above 1 nothing is shared between that many equal groups of replicas (one a
/// process): each group goes through all samples in the same order, B/copies of them a step.
class BatchPlan {
public:
    /// BadInput when there is nothing to train on, the batch is smaller than the replicas, or
    /// `copies` does not divide replicas and batch.
    [[nodiscard]] static Result<BatchPlan> make(std::uint32_t samples, std::uint32_t globalBatch,
                                                int replicas, std::uint64_t seed, int copies = 1);

    [[nodiscard]] std::int64_t stepsPerEpoch() const;
    [[nodiscard]] BatchPosition positionOf(std::int64_t globalStep) const;
    /// The places that a step covers; the last step of an epoch may cover fewer.
    [[nodiscard]] SampleRange globalBatch(std::int64_t globalStep) const;
    /// Samples of a step over all replicas: what its gradients are divided by.
    [[nodiscard]] std::uint32_t stepSamples(std::int64_t globalStep) const {
        return globalBatch(globalStep).count * static_cast<std::uint32_t>(copies_);
    }
    /// The contiguous part of it that `replica` computes. Parts differ by at most one sample; in a
    /// small last batch a part may be empty.
    [[nodiscard]] SampleRange share(std::int64_t globalStep, int replica) const;
    /// Where that part begins among all samples of the step, those of all copies.
    [[nodiscard]] std::uint32_t placeInStep(std::int64_t globalStep, int replica) const {
        const SampleRange whole = globalBatch(globalStep);
        const int copy = replica / (replicas_ / copies_);
        return share(globalStep, replica).first - whole.first +
               static_cast<std::uint32_t>(copy) * whole.count;
    }
    /// The largest share any replica has at any step.
    [[nodiscard]] std::uint32_t largestShare() const;
    /// Sample at each place of the epoch.
    [[nodiscard]] std::vector<std::uint32_t> epochOrder(std::int64_t epoch) const;
    [[nodiscard]] int replicas() const { return replicas_; }
    [[nodiscard]] int copies() const { return copies_; }
    [[nodiscard]] std::uint32_t samples() const { return samples_; }

private:
    BatchPlan(std::uint32_t samples, std::uint32_t batch, int replicas, std::uint64_t seed,
              int copies)
        : samples_(samples), batch_(batch), replicas_(replicas), copies_(copies), seed_(seed) {}

    std::uint32_t samples_;
    std::uint32_t batch_;  ///< Of one group of replicas.
    int replicas_;
    int copies_;
    std::uint64_t seed_;
};

}  // namespace lockstep::data
