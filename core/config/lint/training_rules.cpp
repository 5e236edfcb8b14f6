// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/training_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/config/job/auto_shard.h"
#include "core/config/job/data_sources.h"
#include "core/config/job/metric.h"
#include "core/config/job/monitor.h"
#include "core/config/keys/key_codec.h"

namespace lockstep::config {

namespace {

void checkMetric(const JobSpec& spec, const std::string& key, const Watch& watch, Report& report) {
    const auto& metrics = spec.training.metrics;
    if (watch.metric.empty() || metrics.empty() ||
        std::ranges::find(metrics, watch.metric) != metrics.end())
        return;
    report.error(key,
                 fmt::format("{} is \"{}\", but training.metrics has no \"{}\"", key,
                             monitorName(watch.monitor, watch.metric), watch.metric),
                 "Add it to training.metrics.");
}

void checkMonitor(const JobSpec& spec, const std::string& section, const Watch& watch,
                  MonitorMode mode, Report& report) {
    const std::string key = section + ".monitor";
    const std::string name = monitorName(watch.monitor, watch.metric);
    if (watch.isOfValidation() && !hasValidation(spec.data))
        report.error(
            key,
            fmt::format("{} is \"{}\", but {} is 0: there is nothing to validate on", key, name,
                        spec.data.validationSplit || namesFiles(spec.data.dataset)
                            ? "data.validation_split"
                            : "data.validation_samples"),
            "Keep some samples for validation, or watch train_loss.");
    checkMetric(spec, key, watch, report);
    const auto metric = parseMetric(watch.metric);
    const bool growsBetter = watch.monitor == Monitor::ValidationAccuracy ||
                             watch.monitor == Monitor::TrainAccuracy ||
                             (metric && metric->largerIsBetter());
    if (mode != MonitorMode::Auto && growsBetter != (mode == MonitorMode::Max))
        report.warning(section + ".mode",
                       fmt::format("{}.mode is \"{}\", which takes the worst {} for the best",
                                   section, mode == MonitorMode::Max ? "max" : "min", name),
                       fmt::format("Leave {}.mode out.", section));
}

}  // namespace

void checkMonitors(const JobSpec& spec, Report& report) {
    const EarlyStoppingSpec& early = spec.earlyStopping;
    const CheckpointSpec& checkpoint = spec.checkpoint;
    if (const auto watch = earlyStoppingWatch(spec))
        checkMonitor(spec, "early_stopping", *watch, early.mode, report);
    if (const auto watch = bestWatch(spec); watch && checkpoint.monitor != Monitor::Auto)
        checkMonitor(spec, "checkpoint", *watch, checkpoint.mode, report);
    // With evaluate_every_steps an epoch is what lies between two of them.
    const bool countsEpochs = spec.training.steps == 0 && spec.training.evaluateEverySteps == 0;
    if (early.monitor != Monitor::Off && countsEpochs && early.patience >= spec.training.epochs)
        report.warning("early_stopping.patience",
                       fmt::format("early_stopping.patience is {}, but there {}: training never "
                                   "stops early",
                                   early.patience, isCounted(spec.training.epochs, "epoch")),
                       "Use fewer epochs of patience, or more training.epochs.");
}

void checkBestIsRestored(const JobSpec& spec, Report& report) {
    const auto early = earlyStoppingWatch(spec);
    const auto best = bestWatch(spec);
    if (!restoresBest(spec) || !early || !best || *early == *best) return;
    report.error("checkpoint.monitor",
                 fmt::format("the best checkpoint is chosen by {}, but early_stopping, which "
                             "restores it, watches {}",
                             toString(*best), toString(*early)),
                 "Leave checkpoint.monitor and checkpoint.mode out, or set "
                 "early_stopping.restore_best to false.");
}

void checkAutoShard(const JobSpec& spec, Report& report) {
    const int processes = spec.cluster.numProcesses;
    const auto policy = resolveAutoShard(spec.data, processes);
    if (!policy) {
        report.error("data.auto_shard", policy.error().message, policy.error().remedy);
        return;
    }
    if (*policy == AutoShard::File && spec.training.globalBatchSize % processes != 0)
        report.error(
            "data.auto_shard",
            fmt::format("data.auto_shard is \"file\", so each of {} takes its part of a "
                        "batch from its own files, and training.global_batch_size {} has "
                        "no equal parts",
                        counted(processes, "process"), spec.training.globalBatchSize),
            fmt::format("Use a multiple of {}, or set data.auto_shard to \"data\".", processes));
    if (*policy != AutoShard::Off) return;
    if (spec.training.globalBatchSize % processes != 0)
        report.error(
            "data.auto_shard",
            fmt::format("data.auto_shard is \"off\", so each of {} takes its part of a batch "
                        "from the whole set, and training.global_batch_size {} has no equal parts",
                        counted(processes, "process"), spec.training.globalBatchSize),
            fmt::format("Use a multiple of {}, or set data.auto_shard to \"data\".", processes));
    else
        report.warning(
            "data.auto_shard",
            fmt::format(
                "data.auto_shard is \"off\": every process sees every sample, so a batch of "
                "{} holds {}, each {} times, and an epoch has {} times more steps",
                spec.training.globalBatchSize,
                counted(spec.training.globalBatchSize / processes, "sample"), processes, processes),
            "Set data.auto_shard to \"data\" for batches of different samples.");
}

void checkTune(const JobSpec& spec, Report& report) {
    if (!spec.training.tune || spec.cluster.device != DeviceKind::Gpu) return;
    report.warning("training.tune",
                   "training.tune chooses among methods of the processor, but cluster.device is "
                   "\"gpu\"",
                   "Leave training.tune out.");
}

void checkCache(const JobSpec& spec, Report& report) {
    const std::string& cache = spec.data.cache;
    if (cache == "memory") return;
    if (spec.data.dataset == "digits")
        report.warning("data.cache",
                       fmt::format("data.cache is \"{}\", but digits are generated and always kept "
                                   "in memory",
                                   sanitizeLine(cache, 80)),
                       "Leave data.cache out.");
    else if (cache.starts_with('~') || cache.find('$') != std::string::npos)
        report.warning(
            "data.cache",
            fmt::format("data.cache is \"{}\", but ~ and $ are taken as they are written",
                        sanitizeLine(cache, 80)),
            "Write the whole path.");
    else if (cache != "none" && cache.find('/') == std::string::npos) {
        // A bare word is rather a mistyped choice than a file beside the job.
        const auto meant = nearestWord(cache, {"memory", "none"});
        if (meant)
            report.error("data.cache",
                         fmt::format("data.cache is \"{}\", did you mean {}?",
                                     sanitizeLine(cache, 80), *meant),
                         "Use \"memory\", \"none\", or a file's path with a \"/\" in it.");
    }
}

}  // namespace lockstep::config
