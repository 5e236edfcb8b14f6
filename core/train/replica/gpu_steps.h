// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/config/job/job_spec.h"
#include "core/data/batch_plan.h"
#include "core/optim/schedule.h"
#include "core/telemetry/step_ring.h"
#include "core/tensor/step_engine.h"
#include "core/train/objective/score.h"
#include "core/train/replica/mesh_member.h"
#include "core/train/replica/replica_steps.h"

namespace lockstep::train {

/// Whole steps of a device: sums and updates are made there, ahead of the host, which only looks
/// on. One thread.
class GpuSteps final : public ReplicaSteps {
public:
    /// `training`, `batches` and `communicator` must outlive it. `stepOperations`: multiplications
    /// and additions of a step of the largest share, equal on all replicas. `mesh`: of a member of
    /// one, whose row scores together; null: the network is whole.
    GpuSteps(std::unique_ptr<tensor::StepEngine> engine, const config::TrainingSpec& training,
             const data::BatchPlan& batches, collective::Communicator& communicator,
             double stepOperations, MeshMember* mesh = nullptr);

    [[nodiscard]] const tensor::StepEngine& engine() const { return *engine_; }

    [[nodiscard]] Result<void> takeState(std::span<const float> statistics) override;
    [[nodiscard]] Result<void> bringState(std::span<float> statistics) override;
    [[nodiscard]] Result<std::int64_t> run(std::int64_t first, std::int64_t last,
                                           StepWatch& watch) override;
    [[nodiscard]] Result<SplitScore> score(ScoredSplit split, std::uint32_t first,
                                           std::uint32_t count,
                                           const std::atomic<bool>& stop) override;
    void setRate(double rate) override { decidedRate_ = rate; }
    /// Nothing is known: whoever looked at them would have to bring them here.
    [[nodiscard]] Result<void> checkWeights(std::int64_t /*step*/) override { return {}; }

    /// Steps enqueued at a time: what a device takes some 10 ms for, by a figure that all replicas
    /// agree on, because all must start the same steps.
    [[nodiscard]] static std::size_t windowFor(double stepOperations);

private:
    [[nodiscard]] tensor::EngineStep describe(std::int64_t step) const;
    [[nodiscard]] Result<void> orderFor(std::int64_t step);
    [[nodiscard]] Result<void> enqueue(std::int64_t first, std::int64_t last);
    [[nodiscard]] Result<bool> stops(const std::atomic<bool>& stop);
    [[nodiscard]] double rateAt(std::int64_t step) const;
    void tell(std::int64_t step, const tensor::EngineFigures& figures, StepWatch& watch) const;
    [[nodiscard]] telemetry::StepRecord recordOf(std::int64_t step,
                                                 const tensor::EngineFigures& figures) const;

    std::unique_ptr<tensor::StepEngine> engine_;
    const config::TrainingSpec& training_;
    const data::BatchPlan& batches_;
    collective::Communicator& communicator_;
    optim::Schedule schedule_;
    std::size_t window_;
    MeshMember* mesh_;
    double decidedRate_ = 0;         ///< 0: the schedule's.
    std::int64_t epoch_ = -1;        ///< Whose order the device has.
    std::uint64_t newestStamp_ = 0;  ///< End of the newest step that was collected, and
    double newestTime_ = 0;          ///< when that was: the device's clock and the record's.
    int moments_;
};

}  // namespace lockstep::train
