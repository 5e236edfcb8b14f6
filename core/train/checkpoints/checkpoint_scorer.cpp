// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/checkpoint_scorer.h"

#include <fmt/format.h>

#include <thread>

#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/base/thread.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/checkpoint/follower.h"
#include "core/config/document/job_file.h"
#include "core/train/checkpoints/result_step.h"
#include "core/train/checkpoints/resume_check.h"
#include "core/train/checkpoints/state_tensors.h"
#include "core/train/replica/evaluation_report.h"

namespace lockstep::train {

namespace fs = std::filesystem;

namespace {
constexpr Millis kPollInterval{500};
constexpr std::size_t kSamples = 24;
}  // namespace

CheckpointScorer::CheckpointScorer(fs::path runDir, std::unique_ptr<const JobContext> context,
                                   std::unique_ptr<tensor::Device> device, SplitEvaluator evaluator,
                                   Warn warn)
    : runDir_(std::move(runDir)),
      context_(std::move(context)),
      device_(std::move(device)),
      evaluator_(std::move(evaluator)),
      parameters_(context_->network.parameterCount()),
      statistics_(context_->network.statisticsCount()),
      warn_(std::move(warn)) {}

Result<std::unique_ptr<CheckpointScorer>> CheckpointScorer::open(const fs::path& runDir,
                                                                 Warn warn) {
    auto text = readFile(runDir / "job.toml", config::kJobFileLimitBytes);
    if (!text)
        return fail(ErrorCode::NotFound,
                    fmt::format("{} holds no run: {}", runDir.string(), text.error().message),
                    "Name the folder that `lockstepctl run` printed.");
    auto document =
        TRY(config::JobDocument::parse(std::move(*text), (runDir / "job.toml").string()));
    auto job = TRY(document.checked());
    auto context = TRY(makeJobContext(job, runDir.string()));
    auto device = tensor::openCpuDevice();
    auto evaluator = TRY(SplitEvaluator::make(*device, context->network, context->objective));
    flushDenormals();
    return std::unique_ptr<CheckpointScorer>(new CheckpointScorer(
        runDir, std::move(context), std::move(device), std::move(evaluator), std::move(warn)));
}

Result<void> CheckpointScorer::score(const checkpoint::LoadedCheckpoint& checkpoint, bool test,
                                     const Take& take) {
    TRY(checkSameData(checkpoint.state, context_->data));
    TRY(restoreModel(context_->network, checkpoint, parameters_, statistics_));
    const data::Split& split = test ? *context_->data.test : *context_->data.validation;
    if (split.count == 0) return {};
    auto evaluation =
        TRY(evaluateSplit(evaluator_, {parameters_, statistics_}, context_->data, split, kSamples));
    evaluation.set_step(static_cast<std::uint64_t>(checkpoint.state.step));
    evaluation.set_epoch(static_cast<std::uint32_t>(checkpoint.state.epoch));
    evaluation.set_split(test ? "test" : "validation");
    return take(evaluation);
}

Result<checkpoint::CheckpointStore> CheckpointScorer::openStore() const {
    auto store = checkpoint::CheckpointStore::open(runDir_ / "checkpoints",
                                                   checkpoint::CheckpointStore::Access::Read);
    if (!store)
        return fail(store.error().code, store.error().message,
                    "Name the folder that `lockstepctl run` printed.");
    return store;
}

Result<void> CheckpointScorer::scoreBoth(const checkpoint::CheckpointStore& store,
                                         std::int64_t step, const Take& take) {
    auto checkpoint = TRY(store.load(step, checkpoint::Contents::Model));
    TRY(score(checkpoint, false, take));
    return score(checkpoint, true, take);
}

Result<void> CheckpointScorer::scoreResult(const Take& take) {
    auto store = TRY(openStore());
    const auto step = resultStep(runDir_, store, warn_);
    if (!step && step.error().code == ErrorCode::NotFound)
        return fail(ErrorCode::NotFound, step.error().message,
                    "Wait for the first one with --watch.");
    return step ? scoreBoth(store, *step, take) : Result<void>(fail(step.error()));
}

Result<void> CheckpointScorer::scoreBest(const Take& take) {
    auto store = TRY(openStore());
    const auto best = store.best();
    if (best) return scoreBoth(store, *best, take);
    if (best.error().code != ErrorCode::NotFound) return fail(best.error());
    return fail(ErrorCode::NotFound, fmt::format("{} keeps no best checkpoint", runDir_.string()),
                "Train with checkpoint.keep_best = true, or leave --best out for what the run has "
                "come to.");
}

/// What the run has come to; one without a checkpoint has nothing to test.
Result<void> CheckpointScorer::scoreTest(const Take& take) {
    auto store = TRY(openStore());
    const auto step = resultStep(runDir_, store, warn_);
    if (!step && step.error().code == ErrorCode::NotFound) return {};
    if (!step) return fail(step.error());
    const auto checkpoint = TRY(store.load(*step, checkpoint::Contents::Model));
    return score(checkpoint, true, take);
}

Result<void> CheckpointScorer::watch(const Take& take) {
    checkpoint::CheckpointFollower follower(runDir_ / "checkpoints", {});
    for (bool ended = false;;) {
        auto found = follower.poll(SteadyClock::read());
        if (found) {
            if (!found->content) {  // never fatal
                warn_(fmt::format("the checkpoint of step {} was not scored: {}", found->step,
                                  found->content.error().message));
                continue;
            }
            TRY(score(*found->content, false, take));
        } else if (ended) {
            return scoreTest(take);
        } else {
            std::error_code error;
            ended = fs::exists(runDir_ / "summary.json", error);
            if (!ended) std::this_thread::sleep_for(kPollInterval);
        }
    }
}

}  // namespace lockstep::train
