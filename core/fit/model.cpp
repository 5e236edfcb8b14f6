// SPDX-License-Identifier: Apache-2.0
#include "core/fit/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "core/base/absolute_path.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_reader.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/config/document/job_file.h"
#include "core/config/job/job_paths.h"
#include "core/config/job/model_spec.h"
#include "core/distribution/initialize.h"
#include "core/distribution/process_state.h"
#include "core/fit/fit_job.h"
#include "core/fit/scoring.h"
#include "core/run/run_folder.h"

namespace lockstep::fit {

namespace fs = std::filesystem;

namespace {

/// Errors of a section end in a failure, warnings are said.
Result<void> checkSection(const config::JobDocument& document, std::string_view section) {
    for (const config::Finding& finding : document.findings()) {
        if (!document.wellFormed()) return fail(config::toError(finding));
        if (!finding.key.starts_with(section)) continue;
        if (finding.severity == config::Severity::Error) return fail(config::toError(finding));
        if (finding.severity == config::Severity::Warning)
            std::fprintf(stderr, "warning: %s\n", finding.message.c_str());
    }
    return {};
}

void warn(const std::string& sentence) {
    std::fprintf(stderr, "warning: %s\n", sentence.c_str());
}

bool isEvaluator() {
    const auto group = distribution::ProcessState::instance().group();
    return group && group->isEvaluator();
}

/// What fit() itself decides.
Result<void> checkCompileOption(const Option& option) {
    constexpr std::array<std::string_view, 7> kOthers{
        "global_batch_size", "epochs", "steps", "seed", "optimizer", "loss", "metrics"};
    TRY(checkName(option.name, true));
    if (std::ranges::find(kOthers, option.name) == kOthers.end()) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("compile(): {} is no option of an optimizer or a loss", option.name),
                "The batch is the dataset's; epochs and seed are given to fit().");
}

/// Of the checkpoint that a training goes on from, which need not be the best one.
Result<int> epochsOf(const fs::path& run) {
    const auto store = TRY(checkpoint::CheckpointStore::open(
        run / "checkpoints", checkpoint::CheckpointStore::Access::Read));
    // As a resume looks for it, which reads it all; its tensors are not kept.
    const auto newest = TRY(store.loadLatestGood(
        [](int folder, std::int64_t step) -> Result<checkpoint::LoadedCheckpoint> {
            checkpoint::LoadedCheckpoint loaded;
            loaded.state = TRY(checkpoint::verifyCheckpoint(folder, step));
            return loaded;
        }));
    return newest.loaded ? static_cast<int>(newest.loaded->state.epoch) : 0;
}

/// What the run tells, told to the callbacks.
void hear(const std::vector<std::shared_ptr<Callback>>& callbacks, job::FitOptions& run) {
    run.onBatchBegin = [&callbacks, begun = 0](const BatchFigures& before) mutable {
        for (const auto& callback : callbacks) {
            if (begun != before.epoch) callback->onEpochBegin(before.epoch);
            callback->onTrainBatchBegin(before);
        }
        begun = before.epoch;
    };
    run.onBatchEnd = [&callbacks](const BatchFigures& batch) {
        bool isWanted = true;
        for (const auto& callback : callbacks)
            isWanted = callback->onTrainBatchEnd(batch) && isWanted;
        return isWanted;
    };
    run.onEpochEnd = [&callbacks](const EpochFigures& epoch) {
        bool isWanted = true;
        for (const auto& callback : callbacks)
            isWanted = callback->onEpochEnd(epoch) && isWanted;
        return isWanted;
    };
}

fs::path firstRunFolder(const FitOptions& options) {
    return fs::path("runs") / (run::fileName(options.name) + "-" + utcStamp());
}

}  // namespace

Model::Model() = default;
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Result<Model> Model::ofToml(const std::string& section, const std::string& name) {
    const auto document = config::JobDocument::lenient(section, name);
    TRY(checkSection(document, "model"));
    Model model;
    model.job_.model = document.spec().model;
    return model;
}

Result<Model> Model::sequential(const std::vector<Layer>& layers) {
    std::string text = "[model]\nlayers = [\n";
    for (const Layer& layer : layers)
        text += "  " + TRY(tomlOf(layer)) + ",\n";
    return ofToml(text + "]\n", "the model");
}

Result<Model> Model::fromJobFile(const fs::path& file) {
    const auto document = TRY(config::loadJobFile(file));
    TRY(checkSection(document, "model"));
    config::JobSpec job = document.spec();
    if (config::isDenseStack(job.model) && job.model.layers.empty())
        return fail(ErrorCode::BadInput, fmt::format("{} has no [model]", file.string()),
                    "Give it one with layers.");
    const auto whole = TRY(absolutePath(file));
    config::makePathsAbsolute(job, whole.parent_path().string());
    Model model;
    model.job_.model = std::move(job.model);
    return model;
}

Result<Model> Model::fromRun(const fs::path& run) {
    Model model;
    model.runFolder_ = TRY(absolutePath(run));
    const auto& saved = TRY(model.predictor())->saved();
    model.job_.model = saved.job.model;
    model.job_.training = saved.job.training;
    model.epochsDone_ = TRY(epochsOf(model.runFolder_));
    model.isCompiled_ = true;
    return model;
}

Result<void> Model::compile(const Optimizer& optimizer, const Loss& loss,
                            const std::vector<std::string>& metrics) {
    std::string text = "[training]\n";
    for (const auto& [key, part] : {std::pair{"optimizer", &optimizer}, std::pair{"loss", &loss}}) {
        text += fmt::format("{} = {}\n", key, tomlOf(part->type));
        for (const Option& option : part->options) {
            TRY(checkCompileOption(option));
            text += fmt::format("{} = {}\n", option.name, tomlOf(option.value));
        }
    }
    if (!metrics.empty()) text += "metrics = " + tomlOf(metrics) + "\n";
    const auto document = config::JobDocument::lenient(text, "compile()");
    TRY(checkSection(document, "training"));
    job_.training = document.spec().training;
    isCompiled_ = true;
    return {};
}

Result<void> Model::loadWeights(const fs::path& file) {
    if (!runFolder_.empty())
        return fail(ErrorCode::BadInput,
                    "loadWeights(): the model has the weights of its run already",
                    "Load them before the first fit().");
    job_.model.initialWeights.file = TRY(absolutePath(file)).string();
    return {};
}

Result<History> Model::fit(const Dataset& train, const FitOptions& options) {
    FitOptions asked = options;
    job::FitOptions run;
    const bool goesOn = !runFolder_.empty() && asked.runFolder.empty();
    if (goesOn) {
        asked.runFolder = runFolder_;
        if (!asked.resume && asked.epochs > 0) {
            asked.epochs += epochsDone_;
            run.patienceAnew = true;  // of this call, as Keras has it
        }
        asked.resume = true;
    }
    run.resume = asked.resume;
    config::JobSpec job;
    if (isEvaluator()) {
        job.cluster.initializationTimeoutSeconds = 300;
    } else {
        auto prepared = prepare(train, asked, run);
        if (!prepared) return job::refuseFit(prepared.error());
        job = std::move(*prepared);
    }
    if (!asked.callbacks.empty()) hear(asked.callbacks, run);
    for (const auto& callback : asked.callbacks)
        callback->onTrainBegin();
    const auto result = job::fit(job, run);
    predictor_.reset();
    if (!result) {
        if (!run.runFolder.empty() && !run.resume) removeArrays(run.runFolder);
        return fail(result.error());
    }
    runFolder_ = result->runFolder;
    if (!result->epochs.empty()) epochsDone_ = result->epochs.back().epoch;
    History history = historyOf(*result);
    for (const auto& callback : asked.callbacks)
        callback->onTrainEnd(history);
    return history;
}

/// What this process finds wrong by itself.
Result<void> Model::check(const FitOptions& options) const {
    if (!isCompiled_)
        return fail(ErrorCode::BadInput, "fit(): the model is not compiled",
                    "Call compile() first: with an optimizer, a loss and metrics.");
    if (options.resume && options.runFolder.empty())
        return fail(ErrorCode::BadInput, "fit(): nothing says which run is to be gone on with",
                    "Name its folder.");
    const auto group = distribution::ProcessState::instance().group();
    if (group && group->hasEvaluator() && !options.validation)
        return fail(ErrorCode::BadInput,
                    "fit(): the cluster has an evaluator, which scores checkpoints on validation "
                    "data, and none are given",
                    "Give fit() validation data, or leave the evaluator out of the cluster.");
    return {};
}

/// All processes that train come here, and leave it with the same.
Result<config::JobSpec> Model::prepare(const Dataset& train, const FitOptions& options,
                                       job::FitOptions& run) {
    const bool isFirst = distribution::processId() == 0;
    config::JobSpec job;
    std::string identity;
    const auto prepared = [&]() -> Result<void> {
        TRY(check(options));
        const FitData data = TRY(fitDataOf(train, options, job_.training.loss.kind));
        // The same text in every process, whatever its folder.
        job = TRY(fitJob(job_, train, data, options, {}));
        identity = contentHash(config::resolvedToml(job)) + hashOf(data.train.samples) +
                   (data.validation ? hashOf(*data.validation) : "");
        if (!isFirst) return {};
        run.runFolder = TRY(
            absolutePath(options.runFolder.empty() ? firstRunFolder(options) : options.runFolder));
        if (options.runFolder.empty())
            run.runFolder = TRY(
                run::reserveFolder(run.runFolder.parent_path(), run.runFolder.filename().string()));
        TRY(run::checkUsable(run::RunPaths{run.runFolder}, options.resume));
        job = TRY(fitJob(job_, train, data, options, run.runFolder));
        if (distribution::processCount() > 1 && train.autoShard() == config::AutoShard::Auto)
            warn(
                "AUTO sharding policy will apply DATA sharding policy as it failed to apply FILE "
                "sharding policy because of the following reason: Found an unshardable source "
                "dataset: TensorSliceDataset");
        return writeArrays(data, run.runFolder, options.resume);
    }();
    const auto agreed = agreeOnFit(prepared, identity);
    if (agreed) return job;
    if (prepared && isFirst && !options.resume) removeArrays(run.runFolder);
    std::error_code ignored;
    if (options.runFolder.empty()) fs::remove(run.runFolder, ignored);  // it was made for this
    return fail(agreed.error());
}

/// Of the newest run, opened when it is first asked.
Result<train::Predictor*> Model::predictor() {
    if (predictor_) return predictor_.get();
    if (runFolder_.empty())
        return fail(ErrorCode::BadInput, "the model has no weights yet",
                    "Call fit() first, or begin with Model::fromRun().");
    auto saved = TRY(train::openSaved(runFolder_, train::WhichCheckpoint::Result, warn));
    predictor_ = TRY(train::Predictor::make(std::move(saved), 1));
    return predictor_.get();
}

Result<std::map<std::string, double>> Model::evaluate(const Dataset& data) {
    const Element samples = TRY(samplesOf(data, {}));
    return scoreSamples(TRY(predictor())->saved(), samples,
                        distribution::ProcessState::instance().cpuDevices());
}

Result<Tensor> Model::predict(const Dataset& data) {
    const Element samples = TRY(samplesOf(data, {}));
    return predict(samples.x);
}

Result<Tensor> Model::predict(const Tensor& x) {
    return outputsOf(*TRY(predictor()), x);
}

}  // namespace lockstep::fit
