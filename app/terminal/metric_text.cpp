// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/metric_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/config/job/metric.h"

namespace lockstep::app {

namespace {

std::string inWords(std::string name) {
    std::ranges::replace(name, '_', ' ');
    return name;
}

/// Whether the summary's field of this name, behind "test_", is a metric of the job.
bool isMetric(std::string_view name) {
    return name != "loss" && name != "accuracy" && config::parseMetric(name).has_value();
}

}  // namespace

std::string figuresText(const std::string& before, const std::vector<job::FigureView>& figures) {
    std::string text;
    for (const job::FigureView& figure : figures)
        text += fmt::format("{}{} {:.5g}", before, inWords(figure.name), figure.value);
    return text;
}

std::string metricsIn(const text::Json& summary, const std::string& before) {
    std::string text;
    for (const auto& [key, value] : summary.members()) {
        if (!key.starts_with(before) || !isMetric(key.substr(before.size()))) continue;
        if (const auto figure = value.as<double>())
            text += fmt::format("  {} {:.5g}", inWords(key.substr(before.size())), *figure);
    }
    return text;
}

}  // namespace lockstep::app
