// SPDX-License-Identifier: Apache-2.0
#include "core/config/lint/training_rules.h"

#include <fmt/format.h>

#include <optional>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/config/job/auto_shard.h"
#include "core/config/job/key_codec.h"
#include "core/config/job/monitor.h"

namespace lockstep::config {

namespace {

bool needsValidation(Monitor monitor) {
    return monitor == Monitor::ValidationLoss || monitor == Monitor::ValidationAccuracy;
}

bool isAccuracy(Monitor monitor) {
    return monitor == Monitor::ValidationAccuracy || monitor == Monitor::TrainAccuracy;
}

void checkMonitor(const JobSpec& spec, const std::string& section, Monitor monitor,
                  MonitorMode mode, Report& report) {
    const std::string key = section + ".monitor";
    if (needsValidation(monitor) && !hasValidation(spec.data))
        report.error(
            key,
            fmt::format("{} is \"{}\", but data.validation_samples is 0: there is nothing to "
                        "validate on",
                        key, toString(monitor)),
            "Keep some samples for validation, or watch train_loss.");
    const bool isWrongWay = (mode == MonitorMode::Max && !isAccuracy(monitor)) ||
                            (mode == MonitorMode::Min && isAccuracy(monitor));
    if (isWrongWay)
        report.warning(
            section + ".mode",
            fmt::format("{}.mode is \"{}\", which takes the worst {} for the best", section,
                        mode == MonitorMode::Max ? "max" : "min", toString(monitor)),
            fmt::format("Leave {}.mode out.", section));
}

}  // namespace

void checkMonitors(const JobSpec& spec, Report& report) {
    const EarlyStoppingSpec& early = spec.earlyStopping;
    const CheckpointSpec& checkpoint = spec.checkpoint;
    if (early.monitor != Monitor::Off)
        checkMonitor(spec, "early_stopping", early.monitor, early.mode, report);
    if (bestWatch(spec) && checkpoint.monitor != Monitor::Auto)
        checkMonitor(spec, "checkpoint", checkpoint.monitor, checkpoint.mode, report);
    if (early.monitor != Monitor::Off && early.patience >= spec.training.epochs)
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
    const auto policy = resolveAutoShard(spec.data.autoShard, trainingFiles(spec.data), processes);
    if (!policy) {
        report.error("data.auto_shard", policy.error().message, policy.error().remedy);
        return;
    }
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
