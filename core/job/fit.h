// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/base/result.h"
#include "core/config/job/job_spec.h"
#include "core/distribution/strategy.h"

namespace lockstep::job {

struct FitOptions {
    /// The run's folder, on a file system that all processes share; empty: runs/<name>-<utc time>.
    /// Process 0's counts.
    std::filesystem::path runFolder;
    std::filesystem::path jobFolder = ".";  ///< For relative paths in the job.
    bool resume = false;  ///< From the newest good checkpoint of the run folder; it must hold one.
};

struct FitResult {
    std::string status;  ///< completed | stopped
    std::int64_t steps = 0;
    double trainLoss = 0;     ///< NaN where there is none, as the next two.
    double testLoss = 0;      ///< None: the run was stopped before its test.
    double testAccuracy = 0;  ///< 0 to 1. None: numbers are predicted, of which none is right.
    std::string stateHash;    ///< Of final weights and optimiser state, equal in every process.
    std::filesystem::path runFolder;
    std::string summaryJson;  ///< All of it, as summary.json has it.
};

/// Trains the job's model on its data under a strategy, in this process: every process of the
/// strategy's cluster calls it with the same job, in the same order, and gets the same result. The
/// job's `cluster` says nothing here but transport, device and timeouts; the strategy says the
/// rest. The global batch is divided by the replicas in sync. Checkpoints, journal, event files
/// and summary come to lie in the run folder, as of any other run; `lockstepctl attach` follows it.
/// In the evaluator's process it scores every checkpoint until the training has ended.
/// BadInput: job or places are wrong. PeerLost, Timeout, Diverged, …: the run failed, the message
/// names the process and the cause. Blocks for as long as the training takes.
[[nodiscard]] Result<FitResult> fit(const distribution::Strategy& strategy,
                                    const config::JobSpec& job, const FitOptions& options = {});

}  // namespace lockstep::job
