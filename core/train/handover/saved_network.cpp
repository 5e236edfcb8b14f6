// SPDX-License-Identifier: Apache-2.0
#include "core/train/handover/saved_network.h"

#include <fmt/format.h>

#include <optional>

#include "core/base/file.h"
#include "core/base/try.h"
#include "core/checkpoint/checkpoint_store.h"
#include "core/config/document/job_file.h"
#include "core/data/load_dataset.h"
#include "core/program/job_network.h"
#include "core/train/checkpoints/result_step.h"
#include "core/train/checkpoints/state_tensors.h"

namespace lockstep::train {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kStep = "step-";

/// A run, and the step that is meant where a checkpoint's folder was named.
struct Named {
    fs::path run;
    std::optional<std::int64_t> step;
};

Result<Named> named(const fs::path& folder) {
    std::error_code error;
    const fs::path whole = fs::canonical(folder, error);
    if (error || !fs::is_directory(whole, error))
        return fail(ErrorCode::NotFound, fmt::format("there is no folder {}", folder.string()),
                    "Name a run's folder, or that of one of its checkpoints.");
    const std::string name = whole.filename().string();
    if (!fs::exists(whole / "manifest.json", error) || !name.starts_with(kStep))
        return Named{whole, std::nullopt};
    const fs::path run = whole.parent_path().parent_path();
    const std::string digits = name.substr(kStep.size());
    const bool isNumber = !digits.empty() && digits.size() < 19 &&
                          digits.find_first_not_of("0123456789") == std::string::npos;
    if (!isNumber || !fs::exists(run / "job.toml", error))
        return fail(ErrorCode::NotFound,
                    fmt::format("{} is a checkpoint outside its run", folder.string()),
                    "A checkpoint is read where it was written, RUN/checkpoints/step-N: the run's "
                    "job.toml says what its network is.");
    return Named{run, std::stoll(digits)};
}

Result<config::JobSpec> jobIn(const fs::path& run) {
    auto text = readFile(run / "job.toml", config::kJobFileLimitBytes);
    if (!text)
        return fail(ErrorCode::NotFound,
                    fmt::format("{} holds no run: {}", run.string(), text.error().message),
                    "Name the folder that `lockstepctl run` printed.");
    auto document = TRY(config::JobDocument::parse(std::move(*text), (run / "job.toml").string()));
    auto job = TRY(document.checked());
    if (job.launch.runsOwnProgram())
        return fail(ErrorCode::BadInput,
                    fmt::format("{} is the run of a program of its own, whose network is not known",
                                run.string()),
                    "Networks of [model] alone are handed over.");
    return job;
}

Result<std::int64_t> bestIn(const checkpoint::CheckpointStore& store, const fs::path& run) {
    auto best = store.best();
    if (best || best.error().code != ErrorCode::NotFound) return best;
    return fail(ErrorCode::NotFound, fmt::format("{} keeps no best checkpoint", run.string()),
                "Train with checkpoint.keep_best = true, or leave --best out for what the run has "
                "come to.");
}

Result<data::SampleFacts> samplesOf(const checkpoint::TrainingState& state,
                                    const config::JobSpec& job, const fs::path& run) {
    if (!state.sampleFacts.empty()) return data::parseSampleFacts(state.sampleFacts);
    const auto data = TRY(data::loadDataset(job.data, run));
    return data::sampleFactsOf(data);
}

}  // namespace

Result<SavedNetwork> openSaved(const fs::path& runOrCheckpoint, WhichCheckpoint which,
                               const Warn& warn) {
    const Named place = TRY(named(runOrCheckpoint));
    if (place.step && which == WhichCheckpoint::Best)
        return fail(
            ErrorCode::BadInput,
            fmt::format("--best names another checkpoint than {}", runOrCheckpoint.string()),
            "Name the run's folder, or leave --best out.");
    auto job = TRY(jobIn(place.run));
    const auto store = TRY(checkpoint::CheckpointStore::open(
        place.run / "checkpoints", checkpoint::CheckpointStore::Access::Read));
    const auto step = place.step                         ? Result<std::int64_t>(*place.step)
                      : which == WhichCheckpoint::Result ? resultStep(place.run, store, warn)
                                                         : bestIn(store, place.run);
    if (!step) return fail(step.error());
    auto checkpoint = TRY(store.load(*step, checkpoint::Contents::Model));
    auto samples = TRY(samplesOf(checkpoint.state, job, place.run));
    auto network = TRY(program::makeNetwork(job.model, samples.facts, job.training.loss));
    std::vector<float> parameters(network.parameterCount());
    std::vector<float> statistics(network.statisticsCount());
    TRY(restoreModel(network, checkpoint, parameters, statistics));
    return SavedNetwork{store.folderOf(*step), std::move(job),     std::move(checkpoint.state),
                        std::move(samples),    std::move(network), std::move(parameters),
                        std::move(statistics)};
}

}  // namespace lockstep::train
