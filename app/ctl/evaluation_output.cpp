// SPDX-License-Identifier: Apache-2.0
#include "app/ctl/evaluation_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"

namespace lockstep::app {

namespace {

using text::Json;

constexpr int kPairsShown = 5;

struct Pair {
    std::uint32_t truth = 0;
    std::uint32_t prediction = 0;
    std::uint32_t count = 0;
};

/// Classes that were taken for another, the most frequent first.
std::vector<Pair> confusedPairs(const wire::Evaluation& evaluation) {
    std::vector<Pair> pairs;
    const auto classes = static_cast<std::uint32_t>(evaluation.classes());
    for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(evaluation.confusion_size()); ++i)
        pairs.push_back({i / classes, i % classes, evaluation.confusion(static_cast<int>(i))});
    const wire::ConfusionCells& cells = evaluation.cells();
    for (int i = 0; i < cells.count_size(); ++i)
        pairs.push_back({cells.truth(i), cells.prediction(i), cells.count(i)});
    std::erase_if(
        pairs, [](const Pair& pair) { return pair.truth == pair.prediction || pair.count == 0; });
    std::ranges::stable_sort(pairs, [](const Pair& a, const Pair& b) { return a.count > b.count; });
    return pairs;
}

std::string confusedText(const wire::Evaluation& evaluation) {
    const auto pairs = confusedPairs(evaluation);
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(pairs.size(), kPairsShown); ++i)
        text += fmt::format("{}{} as {} ({})", i == 0 ? "  most confused: " : ", ", pairs[i].truth,
                            pairs[i].prediction, pairs[i].count);
    return text.empty() ? text : text + "\n";
}

std::string residualText(const wire::Evaluation& evaluation) {
    std::string text;
    for (int i = 0; i < evaluation.residuals_size(); ++i) {
        const wire::Residuals& residuals = evaluation.residuals(i);
        if (residuals.quantiles_size() != 7) continue;
        text += fmt::format(
            "  {}: off by {:.5g} on average, deviation {:.5g}; half within {:.5g} to "
            "{:.5g}, nine of ten within {:.5g} to {:.5g}\n",
            evaluation.target_names(i), residuals.mean(), residuals.deviation(),
            residuals.quantiles(2), residuals.quantiles(4), residuals.quantiles(1),
            residuals.quantiles(5));
    }
    if (evaluation.targets_left_out() > 0)
        text += fmt::format("  and {} more\n", evaluation.targets_left_out());
    return text;
}

/// Lines of a text as they are, without what steers a terminal.
std::string indented(const std::string& text) {
    std::string lines;
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines += "    " + sanitizeLine(text.substr(begin, end - begin), 400) + "\n";
        begin = end + 1;
    }
    return lines;
}

std::string writtenText(const wire::Evaluation& evaluation) {
    std::string text;
    for (const wire::GeneratedText& one : evaluation.texts())
        text += "  the network, given:\n" + indented(one.prompt()) + "  writes:\n" +
                indented(one.continuation());
    return text;
}

Json matrixJson(const wire::Evaluation& evaluation) {
    const std::uint64_t classes = evaluation.classes();
    const auto width = static_cast<std::ptrdiff_t>(classes);
    const auto& counts = evaluation.confusion();
    Json::List rows;
    if (static_cast<std::uint64_t>(counts.size()) == classes * classes)
        for (auto row = counts.begin(); row != counts.end(); row += width)
            rows.emplace_back(Json::List(row, row + width));
    return Json(std::move(rows));
}

Json cellsJson(const wire::ConfusionCells& cells) {
    Json::List all;
    for (int i = 0; i < cells.count_size(); ++i)
        all.emplace_back(Json::object({{"truth", cells.truth(i)},
                                       {"prediction", cells.prediction(i)},
                                       {"count", cells.count(i)}}));
    return Json(std::move(all));
}

void addValues(const wire::Evaluation& evaluation, Json& json) {
    Json::List values;
    for (const wire::ValuePrediction& value : evaluation.values())
        values.emplace_back(Json::object(
            {{"index", value.index()},
             {"truth", Json::List(value.truth().begin(), value.truth().end())},
             {"prediction", Json::List(value.prediction().begin(), value.prediction().end())}}));
    Json::List residuals;
    for (int i = 0; i < evaluation.residuals_size(); ++i) {
        const wire::Residuals& one = evaluation.residuals(i);
        residuals.emplace_back(Json::object(
            {{"target", evaluation.target_names(i)},
             {"mean", one.mean()},
             {"deviation", one.deviation()},
             {"quantiles", Json::List(one.quantiles().begin(), one.quantiles().end())}}));
    }
    json["values"] = Json(std::move(values));
    json["residuals"] = Json(std::move(residuals));
}

/// JSON has no NaN.
Json finiteOrNull(double value) {
    if (!std::isfinite(value)) return Json(nullptr);
    return Json(value);
}

}  // namespace

std::string evaluationText(const wire::Evaluation& evaluation) {
    std::string text = fmt::format("step {}: {} loss {:.4f}", evaluation.step(), evaluation.split(),
                                   evaluation.loss());
    if (!std::isnan(evaluation.accuracy()))
        text += fmt::format(", accuracy {:.4f}", evaluation.accuracy());
    for (const wire::NamedFigure& figure : evaluation.figures()) {
        std::string name = figure.name();
        std::ranges::replace(name, '_', ' ');
        text += fmt::format(", {} {:.5g}", name, figure.value());
    }
    return text + "\n" + confusedText(evaluation) + residualText(evaluation) +
           writtenText(evaluation);
}

Json evaluationJson(const wire::Evaluation& evaluation) {
    const auto& perClass = evaluation.per_class_accuracy();
    Json json = Json::object({{"step", evaluation.step()},
                              {"epoch", evaluation.epoch()},
                              {"split", evaluation.split()},
                              {"loss", evaluation.loss()}});
    json["accuracy"] = finiteOrNull(evaluation.accuracy());
    for (const wire::NamedFigure& figure : evaluation.figures())
        json[figure.name()] = finiteOrNull(figure.value());
    if (evaluation.classes() > 0) {
        Json::List accuracies;
        for (const float accuracy : perClass)  // null: a class without samples
            accuracies.emplace_back(finiteOrNull(accuracy));
        json["per_class_accuracy"] = Json(std::move(accuracies));
        json["confusion"] = matrixJson(evaluation);
    }
    if (evaluation.has_cells()) json["confusion_cells"] = cellsJson(evaluation.cells());
    if (evaluation.values_size() > 0) addValues(evaluation, json);
    Json::List texts;
    for (const wire::GeneratedText& text : evaluation.texts())
        texts.emplace_back(Json::object({{"prompt", text.prompt()},
                                         {"continuation", text.continuation()},
                                         {"temperature", text.temperature()}}));
    if (!texts.empty()) json["texts"] = Json(std::move(texts));
    return json;
}

}  // namespace lockstep::app
