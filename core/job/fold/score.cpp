// SPDX-License-Identifier: Apache-2.0
#include "core/job/fold/score.h"

#include <cmath>

#include "core/base/summary_limit.h"
#include "core/config/job/metric.h"
#include "core/text/json.h"

namespace lockstep::job {

namespace {

using text::Json;

constexpr std::string_view kTest = "test_";

Score ofMetric(const std::string& name, double value) {
    const auto metric = config::parseMetric(name);
    return {name, value, metric && metric->largerIsBetter()};
}

/// Of a job that names no metrics: what the summary has.
std::vector<std::string> metricsIn(const Json& summary) {
    std::vector<std::string> names;
    for (const auto& [key, value] : summary.members())
        if (key.starts_with(kTest) && config::parseMetric(key.substr(kTest.size())))
            names.push_back(key.substr(kTest.size()));
    return names;
}

}  // namespace

Score scoreOf(const EvaluationView& evaluation) {
    if (!std::isnan(evaluation.accuracy)) return ofMetric("accuracy", evaluation.accuracy);
    for (const FigureView& figure : evaluation.figures)
        if (!std::isnan(figure.value)) return ofMetric(figure.name, figure.value);
    return ofMetric("loss", evaluation.loss);
}

std::optional<Score> testScoreIn(const std::string& summaryJson,
                                 const std::vector<std::string>& metrics) {
    const Json summary = text::parseJson(summaryJson, kMostSummaryBytes).value_or(Json());
    std::vector<std::string> names{"accuracy"};
    for (const auto& more : {metrics, metricsIn(summary), {"loss"}})
        names.insert(names.end(), more.begin(), more.end());
    for (const std::string& name : names)
        if (const auto value = summary.get<double>(std::string(kTest) + name))
            return ofMetric(name, *value);
    return std::nullopt;
}

}  // namespace lockstep::job
