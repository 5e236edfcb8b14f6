// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/distribution/strategy.h"
#include "core/job/epoch_figures.h"
#include "core/train/replica/training_listener.h"

namespace lockstep::job {

using train::BatchFigures;

/// What fit() is told, besides the job.
struct FitOptions {
    /// The run's folder, on a file system that all processes share; empty: `runs/<name>-<utc
    /// time>`. Process 0's counts.
    std::filesystem::path runFolder;
    std::filesystem::path jobFolder = ".";  ///< For relative paths in the job.
    bool resume = false;  ///< From the newest good checkpoint of the run folder; it must hold one.
    /// Of a resume: early stopping counts from its first epoch on, not from where the run had got.
    bool patienceAnew = false;
    /// Called in each process that trains, after each epoch, with the same figures in all of them;
    /// false ends the training behind that epoch in all processes, as early stopping does: with a
    /// checkpoint, and said in the summary. On a thread of the training, which waits for it.
    std::function<bool(const EpochFigures& epoch)> onEpochEnd{};
    /// Called before and after each step, likewise; false: one more step, then all processes end as
    /// where a stop was requested: with a checkpoint, from which a resume goes on. Where a GPU runs
    /// whole steps both come together, some steps late, and the end is that of the epoch.
    std::function<void(const BatchFigures& before)> onBatchBegin{};
    std::function<bool(const BatchFigures& batch)> onBatchEnd{};
};

/// What fit() has come to.
struct FitResult {
    std::string status;  ///< completed | stopped
    std::int64_t steps = 0;
    double trainLoss = 0;     ///< NaN where there is none, as the next two.
    double testLoss = 0;      ///< None: the run was stopped before its test.
    double testAccuracy = 0;  ///< 0 to 1. None: numbers are predicted, of which none is right.
    std::string stateHash;    ///< Of final weights and optimiser state, equal in every process.
    std::filesystem::path runFolder;
    std::string summaryJson;           ///< As summary.json has it; see its `left_out`.
    std::vector<EpochFigures> epochs;  ///< Those of this call, in order.
};

/// Trains the job's model on its data under a strategy, in this process: every process of the
/// strategy's cluster calls it with the same job, in the same order, and gets the same result. The
/// strategy's devices train, one replica each; the job's `cluster` says nothing here but transport,
/// timeouts and a device, which must not contradict them. The global batch is divided by the
/// replicas in sync. Checkpoints, journal, event files and summary come to lie in the run folder,
/// as of any other run; `lockstepctl attach` follows it. In the evaluator's process it scores every
/// checkpoint until the training has ended. BadInput: job or places are wrong. PeerLost, Timeout,
/// Diverged, …: the run failed, the message names the process and the cause. Blocks for as long as
/// the training takes.
[[nodiscard]] Result<FitResult> fit(const distribution::Strategy& strategy,
                                    const config::JobSpec& job, const FitOptions& options = {});

/// Likewise under the distribution that is set in this process (setDistribution(), scope()), else
/// on all devices of the group that initialize() has formed, or of this process. Every process has
/// as many of its devices, and at least one. Under a ModelParallel they share the network's
/// variables as its layout map says; the run's job.toml has that as [distribution].
/// BadInput where autoShardDataset is false and there are several processes: a job names its data
/// once for all of them; and for layouts that cannot be trained, naming variable and axis.
[[nodiscard]] Result<FitResult> fit(const config::JobSpec& job, const FitOptions& options = {});

/// What every process of the group calls in place of fit() where they have agreed not to train:
/// process 0 tells the evaluator, which takes no part in such agreements and waits for its
/// invitation. Gives the error back.
tl::unexpected<Error> refuseFit(const Error& error);

}  // namespace lockstep::job
