// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/job/task.h"

namespace lockstep::config {

enum class MetricKind : std::uint8_t {
    Accuracy,  ///< What every task but numbers has, whether it is asked for or not.
    TopKAccuracy,
    BinaryAccuracy,
    Auc,
    Precision,
    Recall,
    MeanAbsoluteError,
    RootMeanSquaredError,
    Perplexity,
};

/// A figure of training and evaluation besides the loss, defined as Keras defines it.
struct Metric {
    MetricKind kind = MetricKind::Accuracy;
    int k = 0;         ///< Of TopKAccuracy.
    std::string name;  ///< As in training.metrics: "top_5_accuracy".

    [[nodiscard]] bool largerIsBetter() const {
        return kind != MetricKind::MeanAbsoluteError && kind != MetricKind::RootMeanSquaredError &&
               kind != MetricKind::Perplexity;
    }
};

/// nullopt: there is no such metric.
[[nodiscard]] std::optional<Metric> parseMetric(std::string_view name);
/// All names, "top_5_accuracy" for any number.
[[nodiscard]] const std::vector<std::string>& metricNames();

/// What is wrong with one of training.metrics for the task: it is for other outputs.
[[nodiscard]] std::optional<model::Problem> metricProblem(const Metric& metric, const Task& task);

/// The metrics of a job, accuracy left out: those that it names, or what fits its task.
[[nodiscard]] std::vector<Metric> metricsOf(const std::vector<std::string>& names,
                                            const Task& task);

}  // namespace lockstep::config
