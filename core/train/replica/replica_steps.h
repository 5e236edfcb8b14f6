// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "core/base/result.h"
#include "core/collective/communicator.h"
#include "core/telemetry/step_ring.h"
#include "core/train/objective/score.h"

namespace lockstep::train {

/// A step that is done, wherever it ran.
struct DoneStep {
    const telemetry::StepRecord& record;
    collective::StepVotes votes;  ///< Sums over all replicas.
    const SplitScore& mine;       ///< Of this replica; without metrics where none are computed.
    double samples = 0;           ///< That all replicas were given.
    double learningRate = 0;
    std::optional<double> gradientNorm{};  ///< Before clipping, where it was measured.
    /// This replica's, of a step that is being kept (ReplicaSetup::kept): its shares have been.
    std::optional<std::span<const float>> statistics{};
};

/// Who hears of a replica's steps, on the thread that runs them.
class StepWatch {
public:
    /// Where steps run ahead of the host, it comes with stepDone(), some steps late.
    virtual void stepBegins(std::int64_t step) = 0;
    /// In their order. A step whose loss is not finite has changed no weights.
    virtual void stepDone(const DoneStep& done) = 0;
    /// This replica wants no step more: the next one, or where steps run ahead one of the next,
    /// is the last one on all replicas.
    [[nodiscard]] virtual bool wantsStop() const = 0;

protected:
    ~StepWatch() = default;
};

/// What can be scored beside the training.
enum class ScoredSplit : std::uint8_t { Validation, Test };

/// Trains one replica's steps and scores with its weights: the one thing of a replica that depends
/// on what computes. Between calls its weights and moments lie in its communicator's buffers, and
/// its statistics with whoever calls, once bringState() was called. All replicas call alike. One
/// thread.
class ReplicaSteps {
public:
    virtual ~ReplicaSteps() = default;

    /// Takes the weights, the moments and these statistics; before the first step, and whenever
    /// they were changed between steps.
    [[nodiscard]] virtual Result<void> takeState(std::span<const float> statistics) = 0;
    /// Brings all of them up to date.
    [[nodiscard]] virtual Result<void> bringState(std::span<float> statistics) = 0;

    /// Runs steps first to last (both counted from 1, in one epoch), until one says stop, or must
    /// end the run because its loss is not finite; gives that one, or `last`. Errors: PeerLost and
    /// Timeout of the communicator, Internal where weights are not what updates made of them,
    /// Unavailable where a device failed.
    [[nodiscard]] virtual Result<std::int64_t> run(std::int64_t first, std::int64_t last,
                                                   StepWatch& watch) = 0;

    /// This replica's samples [first, first + count) of a split; fewer when `stop` is set
    /// meanwhile.
    [[nodiscard]] virtual Result<SplitScore> score(ScoredSplit split, std::uint32_t first,
                                                   std::uint32_t count,
                                                   const std::atomic<bool>& stop) = 0;

    /// What epochs' results have decided holds from the next step on, instead of the schedule.
    virtual void setRate(double rate) = 0;

    /// That weights are what the updates up to `step` made of them, as far as it is known here.
    [[nodiscard]] virtual Result<void> checkWeights(std::int64_t step) = 0;
};

}  // namespace lockstep::train
