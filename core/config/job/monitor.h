// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/config/job/job_spec.h"

namespace lockstep::config {

/// A figure of an epoch that is watched, with nothing left open.
struct Watch {
    Monitor monitor = Monitor::ValidationLoss;
    bool largerIsBetter = false;
    std::string metric{};  ///< Of a metric alone.

    /// Whether it is measured on validation data, not while training.
    [[nodiscard]] bool isOfValidation() const {
        return monitor == Monitor::ValidationLoss || monitor == Monitor::ValidationAccuracy ||
               monitor == Monitor::ValidationMetric;
    }

    /// Whether `value` beats `best` by more than `minDelta`; a NaN beats nothing.
    [[nodiscard]] bool isBetter(double value, double best, double minDelta = 0) const {
        return largerIsBetter ? value - minDelta > best : value + minDelta < best;
    }
    [[nodiscard]] bool operator==(const Watch&) const = default;
};

/// "validation_loss", "train_top_5_accuracy".
[[nodiscard]] std::string monitorName(Monitor monitor, const std::string& metric = {});
/// The other way; nullopt: it names no figure, and no metric that there is.
[[nodiscard]] std::optional<std::pair<Monitor, std::string>> parseMonitor(std::string_view name);
/// "validation_loss, smaller is better": tells two watches apart.
[[nodiscard]] std::string toString(const Watch& watch);

/// Whether there are samples to validate on.
[[nodiscard]] bool hasValidation(const DataSpec& data);

/// What the early stopping of a job watches; nullopt when it is off.
[[nodiscard]] std::optional<Watch> earlyStoppingWatch(const JobSpec& job);

/// What a job's best checkpoint is chosen by; nullopt when none is kept. Early stopping that
/// restores the best weights keeps it, too.
[[nodiscard]] std::optional<Watch> bestWatch(const JobSpec& job);

/// Whether the run ends with the weights of its best epoch.
[[nodiscard]] bool restoresBest(const JobSpec& job);

}  // namespace lockstep::config
