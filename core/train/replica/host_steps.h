// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/data/batch_plan.h"
#include "core/data/prefetch.h"
#include "core/program/executor.h"
#include "core/telemetry/step_ring.h"
#include "core/tensor/step_engine.h"
#include "core/train/objective/objective.h"
#include "core/train/replica/evaluation.h"
#include "core/train/replica/parameter_update.h"
#include "core/train/replica/replica_setup.h"
#include "core/train/replica/replica_steps.h"
#include "core/train/replica/replica_sums.h"
#include "core/train/replica/weight_identity.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::train {

/// Steps whose batches, loss, sums over replicas and updates are the host's, one after the other;
/// forward and backward run where the setup's place says, on its processor or a GPU. A replica that
/// is alone leaves its weights and their updates to its GPU, where these can be made there.
class HostSteps final : public ReplicaSteps {
public:
    /// Unavailable when the device lacks the memory. What `setup` refers to must outlive it.
    [[nodiscard]] static Result<std::unique_ptr<HostSteps>> make(const ReplicaSetup& setup);

    [[nodiscard]] Result<void> takeState(std::span<const float> statistics) override;
    [[nodiscard]] Result<void> bringState(std::span<float> statistics) override;
    [[nodiscard]] Result<std::int64_t> run(std::int64_t first, std::int64_t last,
                                           StepWatch& watch) override;
    [[nodiscard]] Result<SplitScore> score(ScoredSplit split, std::uint32_t first,
                                           std::uint32_t count,
                                           const std::atomic<bool>& stop) override;
    void setRate(double rate) override { update_.setRate(rate); }
    [[nodiscard]] Result<void> checkWeights(std::int64_t step) override;

private:
    /// What computes the steps: an engine that keeps the weights, or an executor that does not.
    struct Computing {
        std::unique_ptr<program::Executor> executor{};
        tensor::Buffer samples{};
        std::unique_ptr<tensor::StepEngine> engine{};
    };
    HostSteps(const ReplicaSetup& setup, Computing computing, SplitEvaluator evaluator);

    [[nodiscard]] Result<void> begin();
    [[nodiscard]] Result<void> trainStep(std::int64_t step, StepWatch& watch);
    // host_gradients.cpp
    [[nodiscard]] Result<void> computeGradients(const data::Batch& batch, const StepWatch& watch);
    /// Of samples [begin, begin + count) of the batch.
    [[nodiscard]] Result<void> forward(const data::Batch& batch, std::uint32_t begin,
                                       std::uint32_t count);
    [[nodiscard]] Result<void> backward();
    [[nodiscard]] Result<void> backwardOfPart(bool isFirst);
    static void addTo(std::span<float> sums, std::span<const float> values);
    void postFrom(std::size_t begin);
    /// What the outputs of samples that begin at `begin` of the batch, as many as `count`, come to.
    void addLoss(const data::Batch& batch, std::uint32_t begin, std::uint32_t count,
                 std::span<const float> outputs, std::span<float> gradient);
    [[nodiscard]] Result<void> vote(bool wantsStop);
    [[nodiscard]] Nanos takeWaiting();

    [[nodiscard]] Result<void> applyUpdate(std::int64_t step);
    [[nodiscard]] Result<void> reduceAndUpdate(std::int64_t step);
    [[nodiscard]] Result<void> reduceThenUpdate(std::int64_t step);
    [[nodiscard]] Result<collective::Range> reduceBucket(std::size_t bucket, std::int64_t step);
    [[nodiscard]] Result<void> updateShare(std::size_t bucket, const collective::Range& share,
                                           std::int64_t step);
    [[nodiscard]] Result<void> applyAndKeep(std::size_t bucket, const collective::Range& share,
                                            std::int64_t step);
    void record(std::int64_t step);

    // host_on_gpu.cpp
    [[nodiscard]] static Result<std::unique_ptr<tensor::StepEngine>> makeEngine(
        const ReplicaSetup& setup);
    [[nodiscard]] Result<std::int64_t> runOnGpu(std::int64_t first, std::int64_t last,
                                                StepWatch& watch);
    [[nodiscard]] tensor::EngineStep describe(const data::Batch& batch) const;
    [[nodiscard]] Result<bool> stepOnGpu(const data::Batch& batch, std::int64_t step,
                                         StepWatch& watch);
    [[nodiscard]] Result<void> tell(StepWatch& watch);

    // host_drill.cpp
    void sufferDrill(std::int64_t step);
    void dragOn();
    void flipBit(const StepFault& fault, std::int64_t step);

    [[nodiscard]] Result<SplitScore> scoreWithRow(const data::Split& split, std::uint32_t first,
                                                  std::uint32_t count,
                                                  const std::atomic<bool>& stop);
    [[nodiscard]] Weights evaluated();
    void enter(wire::Phase phase);
    /// Microseconds since the phase before ended; a new one begins.
    [[nodiscard]] float lap();

    const ReplicaSetup setup_;
    std::unique_ptr<program::Executor> executor_;  ///< Null: the engine computes.
    std::unique_ptr<tensor::StepEngine> engine_;
    CommunicatorSum sum_;
    std::vector<float> statistics_;        ///< This replica's; equal on all where they are summed.
    std::vector<float> statisticsBefore_;  ///< The step, for one that is left out.
    tensor::Buffer samples_;               ///< Of the present batch, [largest share, features].
    SplitEvaluator evaluator_;
    std::unique_ptr<data::Prefetcher> prefetcher_;  ///< From the first step on.
    std::vector<collective::Range> buckets_;
    ParameterUpdate update_;
    WeightIdentity identity_;
    KeptReplica* const kept_;  ///< Where this replica keeps its steps; null: nowhere.
    std::vector<std::span<float>> moments_;
    std::size_t posted_ = 0;  ///< Buckets of the present step that are on their way.
    TargetBuffer targets_;
    std::vector<float> accumulated_;  ///< Gradients of a step's parts so far; empty: it has one.
    telemetry::StepRecord record_;
    SplitScore score_;  ///< Of this replica's newest step.
    /// A step that was enqueued on the GPU, and of which nobody has heard.
    struct Untold {
        std::int64_t step = 0;
        bool followsAnother = false;
        SplitScore score;
        double samples = 0;
        double rate = 0;
    };
    std::optional<Untold> untold_;
    std::int64_t skipped_;          ///< Steps left out because a loss was not finite.
    collective::Range firstShare_;  ///< Of the weights, that is not empty; known after a step.
    bool isNanDue_ = false;         ///< As are the next two, for a drill.
    Nanos slowBy_{0};
    Nanos slowUntil_{0};
    Nanos mark_{0};      ///< Where the present phase began.
    Nanos stepMark_{0};  ///< Where the present step began.
};

}  // namespace lockstep::train
