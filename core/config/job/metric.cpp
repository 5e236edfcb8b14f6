// SPDX-License-Identifier: Apache-2.0
#include "core/config/job/metric.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <utility>

#include "core/base/plural.h"

namespace lockstep::config {

namespace {

using Answer = Task::Answer;
using Output = Task::Output;

constexpr std::array<std::pair<std::string_view, MetricKind>, 8> kNames = {{
    {"accuracy", MetricKind::Accuracy},
    {"binary_accuracy", MetricKind::BinaryAccuracy},
    {"auc", MetricKind::Auc},
    {"precision", MetricKind::Precision},
    {"recall", MetricKind::Recall},
    {"mean_absolute_error", MetricKind::MeanAbsoluteError},
    {"root_mean_squared_error", MetricKind::RootMeanSquaredError},
    {"perplexity", MetricKind::Perplexity},
}};

/// The number of "top_5_accuracy"; 0: it is no such name.
int topOf(std::string_view name) {
    constexpr std::string_view kBefore = "top_";
    constexpr std::string_view kBehind = "_accuracy";
    if (!name.starts_with(kBefore) || !name.ends_with(kBehind) ||
        name.size() <= kBefore.size() + kBehind.size())
        return 0;
    const std::string_view number =
        name.substr(kBefore.size(), name.size() - kBefore.size() - kBehind.size());
    int k = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), k);
    const bool isPlain = error == std::errc() && end == number.data() + number.size();
    return isPlain && k > 0 && number.front() != '0' ? k : 0;
}

/// Yes or no: of two classes, or of each value.
bool isBinary(const Task& task) {
    return task.output == Output::BinaryLogits ||
           (task.answer == Answer::Class && task.classes == 2);
}

/// Whom the metric is for, where that is not the task; empty: it is.
std::string_view otherTaskOf(MetricKind kind, const Task& task) {
    const bool ofNumbers = task.output == Output::Numbers;
    switch (kind) {
        case MetricKind::Accuracy:
            return ofNumbers ? "classes and tokens" : "";
        case MetricKind::TopKAccuracy:
        case MetricKind::Perplexity:
            return task.output != Output::Logits ? "the cross-entropy of classes and tokens" : "";
        case MetricKind::BinaryAccuracy:
            return task.output != Output::BinaryLogits ? "\"binary_crossentropy\"" : "";
        case MetricKind::Auc:
        case MetricKind::Precision:
        case MetricKind::Recall:
            return !isBinary(task) ? "two classes, or \"binary_crossentropy\"" : "";
        case MetricKind::MeanAbsoluteError:
        case MetricKind::RootMeanSquaredError:
            return !ofNumbers ? "numbers" : "";
    }
    return "";
}

}  // namespace

std::optional<Metric> parseMetric(std::string_view name) {
    for (const auto& [known, kind] : kNames)
        if (known == name) return Metric{kind, 0, std::string(name)};
    if (const int k = topOf(name); k > 0)
        return Metric{MetricKind::TopKAccuracy, k, std::string(name)};
    return std::nullopt;
}

const std::vector<std::string>& metricNames() {
    static const std::vector<std::string> kAll = [] {
        std::vector<std::string> names{"top_5_accuracy"};
        for (const auto& [name, kind] : kNames)
            names.emplace_back(name);
        return names;
    }();
    return kAll;
}

std::optional<model::Problem> metricProblem(const Metric& metric, const Task& task) {
    const auto problem = [&](std::string message, std::string remedy) {
        return model::Problem{{"training.metrics", 0, 0}, std::move(message), std::move(remedy)};
    };
    if (const std::string_view other = otherTaskOf(metric.kind, task); !other.empty())
        return problem(fmt::format("has \"{}\", which is for {}, and the loss is \"{}\"",
                                   metric.name, other, toString(task.loss)),
                       "Remove it.");
    if (metric.kind == MetricKind::TopKAccuracy && metric.k > task.classes)
        return problem(
            fmt::format("has \"{}\", but there {} only {}", metric.name,
                        task.classes == 1 ? "is" : "are", counted(task.classes, "class")),
            "Name a smaller number.");
    return std::nullopt;
}

std::vector<Metric> metricsOf(const std::vector<std::string>& names, const Task& task) {
    std::vector<Metric> metrics;
    for (const std::string& name : names)
        if (auto metric = parseMetric(name); metric && metric->kind != MetricKind::Accuracy)
            metrics.push_back(*std::move(metric));
    if (!names.empty()) return metrics;
    if (task.output == Output::Numbers)
        return {{MetricKind::MeanAbsoluteError, 0, "mean_absolute_error"}};
    if (task.answer == Answer::NextToken) return {{MetricKind::Perplexity, 0, "perplexity"}};
    return {};
}

}  // namespace lockstep::config
