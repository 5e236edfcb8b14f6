// SPDX-License-Identifier: Apache-2.0
#include "core/config/job/monitor.h"

#include <fmt/format.h>

#include "core/config/job/data_sources.h"
#include "core/config/job/metric.h"

namespace lockstep::config {

namespace {

Watch watchOf(Monitor monitor, MonitorMode mode, const std::string& metric = {}) {
    const auto known = parseMetric(metric);
    const bool growsBetter = monitor == Monitor::ValidationAccuracy ||
                             monitor == Monitor::TrainAccuracy ||
                             (known && known->largerIsBetter());
    return {monitor, mode == MonitorMode::Auto ? growsBetter : mode == MonitorMode::Max, metric};
}

}  // namespace

std::string monitorName(Monitor monitor, const std::string& metric) {
    switch (monitor) {
        case Monitor::Auto:
            return "auto";
        case Monitor::Off:
            return "off";
        case Monitor::ValidationLoss:
            return "validation_loss";
        case Monitor::ValidationAccuracy:
            return "validation_accuracy";
        case Monitor::TrainLoss:
            return "train_loss";
        case Monitor::TrainAccuracy:
            return "train_accuracy";
        case Monitor::ValidationMetric:
            return "validation_" + metric;
        case Monitor::TrainMetric:
            break;
    }
    return "train_" + metric;
}

std::optional<std::pair<Monitor, std::string>> parseMonitor(std::string_view name) {
    for (const Monitor known :
         {Monitor::Auto, Monitor::Off, Monitor::ValidationLoss, Monitor::ValidationAccuracy,
          Monitor::TrainLoss, Monitor::TrainAccuracy})
        if (monitorName(known) == name) return std::pair{known, std::string()};
    for (const auto& [before, monitor] : {std::pair{"validation_", Monitor::ValidationMetric},
                                          std::pair{"train_", Monitor::TrainMetric}}) {
        if (!name.starts_with(before)) continue;
        const std::string metric(name.substr(std::string_view(before).size()));
        if (parseMetric(metric)) return std::pair{monitor, metric};
    }
    return std::nullopt;
}

std::string toString(const Watch& watch) {
    return fmt::format("{}, {} is better", monitorName(watch.monitor, watch.metric),
                       watch.largerIsBetter ? "larger" : "smaller");
}

bool hasValidation(const DataSpec& data) {
    if (namesFiles(data.dataset))
        return data.validationSplit.value_or(kValidationShare) > 0 ||
               !data.arrays.validationInputs.empty();
    return data.validationSplit.value_or(data.validationSamples) > 0 ||
           (data.dataset == "image_folder" && !data.validationDirectory.empty());
}

std::optional<Watch> earlyStoppingWatch(const JobSpec& job) {
    const EarlyStoppingSpec& early = job.earlyStopping;
    if (early.monitor == Monitor::Off) return std::nullopt;
    return watchOf(early.monitor, early.mode, early.metric);
}

std::optional<Watch> bestWatch(const JobSpec& job) {
    if (!job.checkpoint.keepBest && !restoresBest(job)) return std::nullopt;
    if (job.checkpoint.monitor != Monitor::Auto)
        return watchOf(job.checkpoint.monitor, job.checkpoint.mode, job.checkpoint.metric);
    if (const auto early = earlyStoppingWatch(job)) return early;
    // Without a validation set there is the training loss alone.
    return watchOf(hasValidation(job.data) ? Monitor::ValidationLoss : Monitor::TrainLoss,
                   job.checkpoint.mode);
}

bool restoresBest(const JobSpec& job) {
    return job.earlyStopping.monitor != Monitor::Off && job.earlyStopping.restoreBest;
}

}  // namespace lockstep::config
