// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/config/job/data_sources.h"
#include "core/config/job/mesh.h"
#include "core/config/lint/augmentation_rules.h"
#include "core/config/lint/batch_rules.h"
#include "core/config/lint/image_rules.h"
#include "core/config/lint/known_dataset.h"
#include "core/config/lint/length_rules.h"
#include "core/config/lint/lint_report.h"
#include "core/config/lint/lint_rules.h"
#include "core/config/lint/mesh_rules.h"
#include "core/config/lint/model_rules.h"
#include "core/config/lint/optimizer_rules.h"
#include "core/config/lint/program_rules.h"
#include "core/config/lint/source_rules.h"
#include "core/config/lint/task_rules.h"
#include "core/config/lint/training_rules.h"

namespace lockstep::config {

namespace {

// ---- job ---------------------------------------------------------------------------------------

void checkName(const JobSpec& spec, Report& report) {
    const std::string& name = spec.name;
    const bool plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.';
    });
    if (!name.empty() && name.size() <= 64 && plain && name.front() != '.') return;
    report.error(
        "job.name",
        fmt::format("job.name is \"{}\", which cannot name a run's folder", sanitizeLine(name, 80)),
        "Use up to 64 letters, digits, \"-\", \"_\" and \".\", not starting with a dot.");
}

void checkRunDir(const JobSpec& spec, Report& report) {
    const std::string& folder = spec.runDir;
    const bool control = std::any_of(folder.begin(), folder.end(),
                                     [](unsigned char c) { return c < 0x20 || c == 0x7F; });
    if (control)
        report.error("job.run_dir",
                     fmt::format("job.run_dir is \"{}\", which has control characters",
                                 sanitizeLine(folder, 80)),
                     "Remove them; on one line in double quotes a backslash is written \\\\.");
    else if (folder.starts_with('~') || folder.find('$') != std::string::npos)
        report.warning(
            "job.run_dir",
            fmt::format("job.run_dir is \"{}\", but ~ and $ are taken as they are written",
                        sanitizeLine(folder, 80)),
            "Write the whole path.");
}

// ---- data --------------------------------------------------------------------------------------

void checkDataset(const JobSpec& spec, Report& report) {
    if (spec.data.dataset.empty()) {
        report.error(
            "data.dataset", "data.dataset is missing",
            "Set data.dataset to \"digits\" (built in), \"mnist\", \"idx\", \"image_folder\", "
            "\"table\", \"text\" or \"arrays\".");
        return;
    }
    const auto known = knownDataset(spec.data);
    if (namesFiles(spec.data.dataset)) return;
    if ((!known || known->needsDirectory) && spec.data.directory.empty())
        report.error(
            "data.directory",
            fmt::format("data.directory is missing, but the data set \"{}\" is read from files",
                        spec.data.dataset),
            "Set data.directory to the folder that holds them, relative to the job file.");
}

void checkValidation(const JobSpec& spec, Report& report) {
    const auto known = knownDataset(spec.data);
    if (spec.data.validationSplit) return;  // a share leaves some
    if (!known || spec.data.validationSamples < known->trainingSamples) return;
    report.error(
        "data.validation_samples",
        fmt::format(
            "data.validation_samples is {}, which leaves none of the {} training samples of {}",
            spec.data.validationSamples, known->trainingSamples, known->name),
        fmt::format("Keep fewer for validation, for example {}.", known->trainingSamples / 6));
}

// ---- training ----------------------------------------------------------------------------------

void checkBatch(const JobSpec& spec, Report& report) {
    // A batch that is not shared has rules of its own.
    const bool shared =
        (spec.data.autoShard != AutoShard::Off && spec.data.autoShard != AutoShard::File) ||
        spec.cluster.numProcesses == 1;
    auto advice =
        adviseBatch(spec.training, batchReplicas(spec), isModelParallel(spec) ? "row" : "replica");
    if (advice && (shared || advice->severity == Severity::Error))
        report.add(advice->severity, "training.global_batch_size", std::move(advice->message),
                   std::move(advice->remedy));
}

void checkBatchAgainstData(const JobSpec& spec, Report& report) {
    const auto known = knownDataset(spec.data);
    if (!known) return;
    const int validating =
        spec.data.validationSplit
            ? static_cast<int>(known->trainingSamples * *spec.data.validationSplit)
            : spec.data.validationSamples;
    const int samples = known->trainingSamples - validating;
    if (samples <= 0 || spec.training.globalBatchSize <= samples) return;
    report.warning(
        "training.global_batch_size",
        fmt::format("training.global_batch_size is {}, and there {} to train on: an epoch is one "
                    "step",
                    spec.training.globalBatchSize, isCounted(samples, "sample")),
        "Use a smaller batch.");
}

void checkLearningRate(const JobSpec& spec, Report& report) {
    if (spec.training.learningRate <= 1) return;
    report.warning(
        "training.learning_rate",
        fmt::format("training.learning_rate is {}, above 1, with which training rarely converges",
                    spec.training.learningRate),
        "Adam's usual rate is 0.001, that of sgd 0.01.");
}

void checkCheckpointInterval(const JobSpec& spec, Report& report) {
    if (spec.checkpoint.everySteps == 0 || spec.checkpoint.everyEpochs == 0) return;
    report.warning(
        "checkpoint.every_epochs",
        fmt::format(
            "checkpoint.every_epochs is {} and checkpoint.every_steps is {}: a checkpoint is "
            "written at each of both",
            spec.checkpoint.everyEpochs, spec.checkpoint.everySteps),
        "Keep the one you mean.");
}

const std::vector<Rule>& commonRules() {
    static const std::vector<Rule> kRules = {
        {{"job.name"}, checkName},
        {{"job.run_dir"}, checkRunDir},
        {{"launch.command", "launch.environment"}, checkEnvironmentIsUsed},
    };
    return kRules;
}

/// Of jobs that Lockstep trains itself.
const std::vector<Rule>& rules() {
    static const std::vector<Rule> kRules = {
        {{"data.dataset", "data.directory"}, checkDataset},
        {{"data.dataset", "data.validation_samples"}, checkValidation},
        {{"model.layers"}, checkLayers},
        {{"model.layers", "data.dataset", "training.loss"}, checkLastLayer},
        {{"model.layers", "data.dataset", "training.loss"}, checkModelFitsData},
        {{"data.dataset", "training.loss", "training.label_smoothing", "training.ignored_class",
          "training.huber_delta", "training.class_weights", "training.metrics"},
         checkTask},
        {{"training.global_batch_size", "cluster.job_addresses", "cluster.num_processes",
          "cluster.devices_per_process"},
         checkBatch},
        {{"training.global_batch_size", "data.dataset", "data.validation_samples"},
         checkBatchAgainstData},
        {{"training.optimizer"}, checkOptimizerOptions},
        {{"training.clipnorm", "training.clipvalue", "training.global_clipnorm"}, checkClipping},
        {{"training.schedule.type", "training.schedule.decay_steps",
          "training.schedule.decay_epochs", "training.schedule.warmup_target",
          "training.schedule.warmup_steps", "training.schedule.warmup_epochs",
          "training.schedule.boundaries", "training.schedule.values",
          "training.schedule.min_learning_rate", "training.learning_rate"},
         checkSchedule},
        {{"training.learning_rate"}, checkLearningRate},
        {{"checkpoint.every_steps", "checkpoint.every_epochs"}, checkCheckpointInterval},
        {{"early_stopping.monitor", "early_stopping.mode", "early_stopping.patience",
          "early_stopping.restore_best", "checkpoint.monitor", "checkpoint.mode",
          "checkpoint.keep_best", "data.validation_samples", "training.epochs", "training.metrics"},
         checkMonitors},
        {{"early_stopping.monitor", "early_stopping.mode", "early_stopping.restore_best",
          "checkpoint.monitor", "checkpoint.mode", "checkpoint.keep_best",
          "data.validation_samples"},
         checkBestIsRestored},
        {{"data.auto_shard", "data.dataset", "cluster.job_addresses", "cluster.num_processes",
          "training.global_batch_size"},
         checkAutoShard},
        {{"training.tune", "cluster.device"}, checkTune},
        {{"data.cache", "data.dataset"}, checkCache},
        {{"data.dataset", "data.image_size", "data.validation_samples", "data.validation_directory",
          "data.test_directory", "data.cache"},
         checkImages},
        {{"data.dataset", "data.image_size", "data.color", "data.validation_directory",
          "data.test_directory"},
         checkImageKeysAreUsed},
        {{"data.dataset", "data.files", "data.target", "data.features", "data.tokenizer",
          "data.sequence_length", "data.inputs", "data.targets", "data.validation_split"},
         checkSources},
        {{"data.dataset"}, checkSourceKeysAreUsed},
        {{"data.augment", "data.dataset", "data.image_size", "training.global_batch_size"},
         checkAugmentation},
        {{"data.normalize.mean", "data.normalize.std", "data.dataset", "data.color"},
         checkNormalization},
    };
    return kRules;
}

}  // namespace

std::vector<Finding> lint(const JobSpec& spec, const KeyPlaces& places) {
    Report report(places);
    // One that is written wrong is meant all the same: what it makes needless is not missing.
    const bool ownProgram = spec.launch.runsOwnProgram() || !report.isUsable("launch.command");
    const std::vector<Rule> none;
    const auto& second = ownProgram ? programRules() : rules();
    const auto& third = ownProgram ? none : lengthRules();
    const auto& fourth = ownProgram ? none : meshRules();
    for (const auto* part :
         {&clusterRules(), &slurmRules(), &commonRules(), &second, &third, &fourth})
        for (const Rule& rule : *part)
            if (std::all_of(rule.needs.begin(), rule.needs.end(),
                            [&report](std::string_view key) { return report.isUsable(key); }))
                rule.check(spec, report);
    return report.take();
}

}  // namespace lockstep::config
