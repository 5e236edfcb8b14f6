// SPDX-License-Identifier: Apache-2.0
#include "core/train/checkpoints/resume_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "core/base/plural.h"
#include "core/base/try.h"
#include "core/config/job/model_spec.h"
#include "core/config/keys/key_table.h"
#include "core/config/keys/optimizer_keys.h"
#include "core/model/description/write_description.h"
#include "core/train/checkpoints/start_point.h"

namespace lockstep::train {

namespace {

Result<void> checkModel(const config::JobSpec& job, const checkpoint::TrainingState& state,
                        const config::JobSpec* former) {
    std::string trained = state.model;  // empty in the checkpoints of older versions
    if (trained.empty() && former != nullptr) trained = modelText(former->model);
    const std::string wanted = modelText(job.model);
    if (trained.empty() || trained == wanted) return {};
    if ((trained + wanted).find('\n') != std::string::npos)
        return fail(
            ErrorCode::BadInput,
            fmt::format("the checkpoint of step {} is of another model than the job's", state.step),
            "Resume with the [model] that it was trained with.");
    return fail(ErrorCode::BadInput,
                fmt::format("the checkpoint of step {} is of the layers {}; the job says {}",
                            state.step, trained, wanted),
                "Resume with the model.layers that it was trained with.");
}

/// What an optimiser remembers means nothing to another one.
Result<void> checkOptimizer(const config::JobSpec& job,
                            const checkpoint::LoadedCheckpoint& checkpoint) {
    const checkpoint::TrainingState& state = checkpoint.state;
    const std::string wanted(toString(job.training.optimizer));
    if (state.optimizer != wanted)
        return fail(
            ErrorCode::BadInput,
            fmt::format("the checkpoint of step {} was trained with the optimizer \"{}\", the job "
                        "says \"{}\"",
                        state.step, state.optimizer, wanted),
            fmt::format("Resume with training.optimizer = \"{}\".", state.optimizer));
    const bool isSgd = job.training.optimizer == config::OptimizerKind::Sgd;
    const auto isBuffer = [](const checkpoint::Tensor& tensor) {
        return tensor.name.ends_with(".momentum_buffer");
    };
    // Beside an average of the weights stand those that are trained.
    const auto isState = [](const checkpoint::Tensor& tensor) {
        return !tensor.name.ends_with(".trained");
    };
    const bool hadMomentum = isSgd ? std::ranges::any_of(checkpoint.optimizer, isState)
                                   : std::ranges::any_of(checkpoint.optimizer, isBuffer);
    const bool wantsMomentum = job.training.momentum != 0;
    const bool usesMomentum = isSgd || job.training.optimizer == config::OptimizerKind::RmsProp;
    if (!usesMomentum || hadMomentum == wantsMomentum) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("the checkpoint of step {} was trained {} momentum, the job says "
                            "training.momentum = {}",
                            state.step, hadMomentum ? "with" : "without", job.training.momentum),
                hadMomentum ? "Resume with a training.momentum above 0."
                            : "Resume with training.momentum = 0.");
}

/// Whether the key says how a run is started, shown or kept, not what is trained.
bool isAside(std::string_view key) {
    constexpr std::array<std::string_view, 6> kSections{"job.", "launch.",     "slurm.",
                                                        "log.", "checkpoint.", "cluster."};
    constexpr std::array<std::string_view, 4> kCounts{"cluster.num_processes",
                                                      "cluster.devices_per_process",
                                                      "cluster.device", "checkpoint.keep_best"};
    constexpr std::array<std::string_view, 4> kPlaces{"data.directory", "data.cache",
                                                      "data.prefetch", "model.initial_weights"};
    if (std::ranges::find(kCounts, key) != kCounts.end()) return false;
    return std::ranges::find(kPlaces, key) != kPlaces.end() ||
           std::ranges::any_of(
               kSections, [key](std::string_view section) { return key.starts_with(section); });
}

/// A model that is more than a dense stack: as a job file has it.
std::string describedText(const model::Description& description) {
    std::string text = "layers = " + model::layersToml(description);
    if (const std::string blocks = model::blocksToml(description); !blocks.empty())
        text += ", blocks = " + blocks;
    if (const std::string defaults = model::defaultsToml(description); !defaults.empty())
        text += ", defaults = " + defaults;
    return text;
}

std::string shown(const std::string& value) {
    return value.empty() ? "not set" : value;
}

}  // namespace

std::string modelText(const config::ModelSpec& model) {
    if (!config::isDenseStack(model)) return describedText(model.description);
    std::string text;
    for (const config::LayerSpec& layer : model.layers)
        text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", layer.type, layer.units,
                            layer.activation == config::Activation::Relu ? "relu" : "linear");
    return text;
}

Result<void> checkSameData(const checkpoint::TrainingState& state, const data::Dataset& data) {
    if (state.dataFingerprint.empty() || state.dataFingerprint == data.fingerprint) return {};
    return fail(ErrorCode::BadInput,
                fmt::format("the checkpoint of step {} was trained on other data, or on data that "
                            "were prepared otherwise",
                            state.step),
                "Use the files and the keys of [data] that it was trained with.");
}

Result<void> checkFits(const config::JobSpec& job, const data::Dataset& data,
                       const checkpoint::LoadedCheckpoint& checkpoint,
                       const config::JobSpec* former) {
    const checkpoint::TrainingState& state = checkpoint.state;
    if (state.globalBatchSize != job.training.globalBatchSize)
        return fail(
            ErrorCode::BadInput,
            fmt::format("the checkpoint of step {} was trained with global_batch_size {}, the job "
                        "says {}",
                        state.step, state.globalBatchSize, job.training.globalBatchSize),
            fmt::format("Resume with training.global_batch_size = {}.", state.globalBatchSize));
    if (job.training.seed && *job.training.seed != state.seed)
        return fail(
            ErrorCode::BadInput,
            fmt::format("the checkpoint of step {} was trained with seed {}, the job says {}",
                        state.step, state.seed, *job.training.seed),
            fmt::format("Resume with training.seed = {}, or leave the seed out.", state.seed));
    TRY(checkSameData(state, data));
    const auto copies = TRY(datasetCopies(job));
    if (state.datasetCopies != copies)
        return fail(
            ErrorCode::BadInput,
            fmt::format(
                "in the checkpoint of step {} every sample is seen by {}, the job says by {}",
                state.step, counted(state.datasetCopies, "process"), copies),
            "Resume with the same data.auto_shard, and with \"off\" the same number of processes.");
    const auto dealsFiles = [](const config::JobSpec& one) {
        return one.data.autoShard == config::AutoShard::File ? one.cluster.numProcesses : 1;
    };
    if (former != nullptr && dealsFiles(*former) != dealsFiles(job))
        return fail(ErrorCode::BadInput,
                    fmt::format("the checkpoint of step {} was trained on files that were dealt "
                                "out to {}; the job deals them out to {}",
                                state.step, counted(dealsFiles(*former), "process"),
                                counted(dealsFiles(job), "process")),
                    "Resume with the same data.auto_shard, and with \"file\" the same number of "
                    "processes.");
    if (former != nullptr && (former->data.shuffle != job.data.shuffle ||
                              former->data.dropRemainder != job.data.dropRemainder))
        return fail(ErrorCode::BadInput,
                    fmt::format("the checkpoint of step {} was trained with another order of the "
                                "samples",
                                state.step),
                    "Resume with the same data.shuffle, data.reshuffle, data.shuffle_seed and "
                    "data.drop_remainder.");
    TRY(checkModel(job, state, former));
    return checkOptimizer(job, checkpoint);
}

std::vector<std::string> differences(const config::JobSpec& former, const config::JobSpec& job) {
    std::vector<std::string> found;
    for (const auto& key : config::jobKeys()) {
        if (isAside(key.help.key)) continue;
        const std::string before = key.write(former);
        const std::string now = key.write(job);
        if (before != now)
            found.push_back(
                fmt::format("{} = {} (was {})", key.help.key, shown(now), shown(before)));
    }
    return found;
}

}  // namespace lockstep::train
