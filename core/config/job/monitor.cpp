// SPDX-License-Identifier: Apache-2.0
#include "core/config/job/monitor.h"

#include <fmt/format.h>

#include "core/config/job/data_sources.h"

namespace lockstep::config {

namespace {

Watch watchOf(Monitor monitor, MonitorMode mode) {
    const bool isAccuracy =
        monitor == Monitor::ValidationAccuracy || monitor == Monitor::TrainAccuracy;
    return {monitor, mode == MonitorMode::Auto ? isAccuracy : mode == MonitorMode::Max};
}

}  // namespace

std::string_view toString(Monitor monitor) {
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
            break;
    }
    return "train_accuracy";
}

std::string toString(const Watch& watch) {
    return fmt::format("{}, {} is better", toString(watch.monitor),
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
    return watchOf(early.monitor, early.mode);
}

std::optional<Watch> bestWatch(const JobSpec& job) {
    if (!job.checkpoint.keepBest && !restoresBest(job)) return std::nullopt;
    if (job.checkpoint.monitor != Monitor::Auto)
        return watchOf(job.checkpoint.monitor, job.checkpoint.mode);
    if (const auto early = earlyStoppingWatch(job)) return early;
    // Without a validation set there is the training loss alone.
    return watchOf(hasValidation(job.data) ? Monitor::ValidationLoss : Monitor::TrainLoss,
                   job.checkpoint.mode);
}

bool restoresBest(const JobSpec& job) {
    return job.earlyStopping.monitor != Monitor::Off && job.earlyStopping.restoreBest;
}

}  // namespace lockstep::config
