// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/snapshot.h"
#include "core/train/replica/evaluation.h"
#include "core/train/replica/job_context.h"

namespace lockstep::train {

/// Scores the checkpoints of a run's folder from outside the job: what the evaluator process does,
/// without a coordinator. One thread.
class CheckpointScorer {
public:
    using Take = std::function<Result<void>(const wire::Evaluation&)>;
    /// What the user should know beside the scores: checkpoints that were passed over, a sentence.
    using Warn = std::function<void(const std::string&)>;

    /// Reads the run's job.toml and data. NotFound when the folder holds no run.
    [[nodiscard]] static Result<std::unique_ptr<CheckpointScorer>> open(
        const std::filesystem::path& runDir, Warn warn);

    /// What the run has come to (see resultStep()), on validation and test data. NotFound without a
    /// checkpoint.
    [[nodiscard]] Result<void> scoreResult(const Take& take);
    /// The checkpoint that BEST names, likewise. NotFound where none is kept.
    [[nodiscard]] Result<void> scoreBest(const Take& take);
    /// Every checkpoint on the validation data as it appears, until the run has ended; then what it
    /// has come to on the test data. One that cannot be read is warned of.
    [[nodiscard]] Result<void> watch(const Take& take);

private:
    CheckpointScorer(std::filesystem::path runDir, std::unique_ptr<const JobContext> context,
                     std::unique_ptr<tensor::Device> device, SplitEvaluator evaluator, Warn warn);
    [[nodiscard]] Result<checkpoint::CheckpointStore> openStore() const;
    [[nodiscard]] Result<void> scoreBoth(const checkpoint::CheckpointStore& store,
                                         std::int64_t step, const Take& take);
    [[nodiscard]] Result<void> scoreTest(const Take& take);
    [[nodiscard]] Result<void> score(const checkpoint::LoadedCheckpoint& checkpoint, bool test,
                                     const Take& take);

    std::filesystem::path runDir_;
    std::unique_ptr<const JobContext> context_;
    std::unique_ptr<tensor::Device> device_;
    SplitEvaluator evaluator_;
    std::vector<float> parameters_;
    std::vector<float> statistics_;
    Warn warn_;
};

}  // namespace lockstep::train
