// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/data/sample_order.h"

namespace lockstep::data {

/// Where a step lies: both counted from 0.
struct BatchPosition {
    std::int64_t epoch = 0;
    std::int64_t stepInEpoch = 0;
};

/// Which samples each replica sees at each step, as a pure function of its numbers: nothing has to
/// be stored to resume. Together the replicas see at step s of an epoch exactly what one
/// replica would: places [s*B, min((s+1)*B, count)) of the epoch's order. Every epoch has its own
/// order. Steps are counted from 0 over all epochs.
///
/// With `copies` above 1 nothing is shared between that many equal groups of replicas (one a
/// process): each group goes through all samples in the same order, B/copies of them a step.
///
/// With shards each group of replicas goes through samples of its own, in an order of its own,
/// B/groups of them a step; one that has come to its end waits for the others. At step s the
/// replicas see the parts of all groups, one behind the other: those are the places of the step.
class BatchPlan {
public:
    /// `seed`: of the order. BadInput when there is nothing to train on, also because the only
    /// batch is left out, the batch is smaller than the replicas, or `copies` does not divide
    /// replicas and batch.
    [[nodiscard]] static Result<BatchPlan> make(std::uint32_t samples, std::uint32_t globalBatch,
                                                int replicas, std::uint64_t seed, int copies = 1,
                                                const SampleOrder& order = {});
    /// With shards, one a group, which together are all samples. BadInput also where one has none,
    /// or they do not divide replicas and batch.
    [[nodiscard]] static Result<BatchPlan> makeSharded(SampleShards shards,
                                                       std::uint32_t globalBatch, int replicas,
                                                       std::uint64_t seed,
                                                       const SampleOrder& order = {});

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
        const int copy = shards_ ? 0 : replica / (replicas_ / copies_);
        return share(globalStep, replica).first - whole.first +
               static_cast<std::uint32_t>(copy) * whole.count;
    }
    /// The largest share any replica has at any step.
    [[nodiscard]] std::uint32_t largestShare() const;
    /// How many times the replica with the fewest samples the one with the most has, of a whole
    /// step or of an epoch, whichever is more; infinite where some have none in many steps.
    [[nodiscard]] double unevenness() const;
    /// Sample at each place of the epoch.
    [[nodiscard]] std::vector<std::uint32_t> epochOrder(std::int64_t epoch) const;
    [[nodiscard]] int replicas() const { return replicas_; }
    [[nodiscard]] int copies() const { return copies_; }
    [[nodiscard]] std::uint32_t samples() const { return samples_; }

private:
    BatchPlan(std::uint32_t samples, std::uint32_t batch, int replicas, std::uint64_t seed,
              int copies, const SampleOrder& order)
        : samples_(samples),
          batch_(batch),
          replicas_(replicas),
          copies_(copies),
          seed_(seed),
          order_(order) {}

    [[nodiscard]] std::int64_t stepsOf(std::uint32_t samples) const;
    [[nodiscard]] int groups() const;
    [[nodiscard]] std::uint32_t groupSamples(int group) const;
    /// Over a whole epoch.
    [[nodiscard]] std::uint64_t samplesOf(int replica) const;
    /// Of a group's samples, those that come before a step of an epoch.
    [[nodiscard]] std::uint32_t seenBefore(std::size_t group, std::int64_t stepInEpoch) const;
    [[nodiscard]] SampleRange groupBatch(std::int64_t globalStep, std::size_t group) const;
    [[nodiscard]] std::vector<std::uint32_t> shardedOrder(std::int64_t epoch) const;

    std::uint32_t samples_;
    std::uint32_t batch_;  ///< Of one group of replicas.
    int replicas_;
    int copies_;
    std::uint64_t seed_;
    SampleOrder order_;
    std::shared_ptr<const SampleShards> shards_{};  ///< Null: there are none.
    std::vector<std::uint32_t> shardSizes_{};
};

}  // namespace lockstep::data
