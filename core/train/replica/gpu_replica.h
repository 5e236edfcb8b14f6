// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
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
#include "core/train/replica/training_plan.h"

namespace lockstep::train {

/// What a replica's whole steps on a device look like from the host: sums and updates are made
/// there, and the host only looks on. One thread.
class GpuReplica {
public:
    /// `training`, `batches` and `communicator` must outlive it. `stepOperations`: multiplications
    /// and additions of a step of the largest share, equal on all replicas.
    GpuReplica(std::unique_ptr<tensor::StepEngine> engine, const config::TrainingSpec& training,
               const data::BatchPlan& batches, collective::Communicator& communicator,
               double stepOperations);

    [[nodiscard]] const tensor::StepEngine& engine() const { return *engine_; }

    /// Gives the device the communicator's parameters and moments, and the statistics.
    [[nodiscard]] Result<void> takeState(std::span<const float> statistics);
    /// Brings the communicator's parameters and moments, and the statistics, up to date.
    [[nodiscard]] Result<void> bringState(std::span<float> statistics);
    /// Loss and hits of samples of a split, see EngineSplitIndex.
    [[nodiscard]] Result<SplitScore> score(std::size_t split, std::uint32_t first,
                                           std::uint32_t count);

    /// A whole step as it comes back: what the step ring takes, and the sums over all replicas.
    struct Step {
        telemetry::StepRecord record;
        collective::StepVotes votes;
        tensor::LossTotals mine;
    };
    /// Runs steps first to last (both counted from 1, in one epoch) and hands each to `done`, late
    /// but in order, until one says stop, or must end the run because its
    /// loss is not finite; gives that one, or `last`.
    /// `asked` is looked at while it runs: this replica's wish to stop.
    [[nodiscard]] Result<std::int64_t> run(std::int64_t first, std::int64_t last,
                                           const std::atomic<bool>& asked,
                                           const std::function<void(const Step&)>& done);

    /// Steps enqueued at a time: what a device takes some 10 ms for, by a figure that all replicas
    /// agree on, because all must start the same steps.
    [[nodiscard]] static std::size_t windowFor(double stepOperations);

private:
    [[nodiscard]] tensor::EngineStep describe(std::int64_t step) const;
    [[nodiscard]] Result<void> orderFor(std::int64_t step);
    [[nodiscard]] Result<void> enqueue(std::int64_t first, std::int64_t last);
    [[nodiscard]] Step toStep(std::int64_t step, const tensor::EngineFigures& figures,
                              std::uint64_t newestStamp, double now) const;

    std::unique_ptr<tensor::StepEngine> engine_;
    const config::TrainingSpec& training_;
    const data::BatchPlan& batches_;
    collective::Communicator& communicator_;
    optim::Schedule schedule_;
    std::size_t window_;
    std::int64_t epoch_ = -1;  ///< Whose order the device has.
    int moments_;
};

}  // namespace lockstep::train
