// SPDX-License-Identifier: Apache-2.0
#include "core/job/report/report_charts.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/plural.h"
#include "core/job/report/html_text.h"
#include "core/job/report/svg_chart.h"

namespace lockstep::job {

namespace {

constexpr std::size_t kMostPoints = 600;
constexpr std::size_t kMostNamed = 48;

using Points = std::vector<StepCurve::Point>;

void addPoint(Points& points, std::int64_t step, std::optional<double> value) {
    if (!value || !std::isfinite(*value)) return;
    // What a resume trained anew is drawn as it was the last time.
    while (!points.empty() && points.back().firstStep >= step)
        points.pop_back();
    points.push_back({step, step, *value, *value, *value});
}

std::vector<SvgChart::Mark> marksOf(const RunView& view, const ReportWords& say) {
    std::vector<SvgChart::Mark> marks;
    for (std::size_t i = 1; i < view.starts.size(); ++i)
        marks.push_back({view.starts[i].firstStep,
                         say(fmt::format("went on behind step {}", view.starts[i].firstStep))});
    for (const FailureView& failure : view.failures)
        marks.push_back(
            {failure.step, say(fmt::format("process {}: {}", failure.processId, failure.cause))});
    return marks;
}

/// Values of the whole job after an epoch, and of evaluators.
struct Scores {
    Points loss;
    Points accuracy;
    std::map<std::string, Points> figures;
};

Scores validationOf(const RunView& view) {
    Scores scores;
    for (const EpochView& epoch : view.epochResults) {
        addPoint(scores.loss, epoch.step, epoch.validationLoss);
        addPoint(scores.accuracy, epoch.step, epoch.validationAccuracy);
        for (const FigureView& figure : epoch.validationFigures)
            addPoint(scores.figures[figure.name], epoch.step, figure.value);
    }
    return scores;
}

Scores trainingOf(const RunView& view) {
    Scores scores;
    for (const EpochView& epoch : view.epochResults)
        for (const FigureView& figure : epoch.trainFigures)
            addPoint(scores.figures[figure.name], epoch.step, figure.value);
    return scores;
}

Scores evaluatedOf(const RunView& view) {
    std::map<std::int64_t, const EvaluationView*> byStep;  // evaluators do not tell in order
    for (const auto& evaluation : view.evaluations)
        if (evaluation->split == "validation" && evaluation->error.empty())
            byStep[evaluation->step] = evaluation.get();
    Scores scores;
    for (const auto& [step, evaluation] : byStep) {
        addPoint(scores.loss, step, evaluation->loss);
        addPoint(scores.accuracy, step, evaluation->accuracy);
        for (const FigureView& figure : evaluation->figures)
            addPoint(scores.figures[figure.name], step, figure.value);
    }
    return scores;
}

std::string wordsOf(std::string name) {
    for (char& c : name)
        if (c == '_') c = ' ';
    if (!name.empty() && name[0] >= 'a' && name[0] <= 'z')
        name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return name;
}

/// What is not drawn, in sentences: of the named figures `drawn` are.
std::string leftOut(const RunRecord& record, std::size_t drawn, const ReportWords& say) {
    std::string html;
    const auto add = [&](const std::string& sentence) {
        html += fmt::format("<p class=\"warn\">{}</p>\n", htmlText(say(sentence)));
    };
    if (record.named.size() > drawn)
        add(fmt::format("{} not drawn: {} named, {} are shown.",
                        countedWas(record.named.size() - drawn, "named figure"),
                        record.named.size(), drawn));
    const auto notFinite = record.loss.notFinite();
    if (notFinite > 0)
        add(fmt::format("{} no number and not drawn.", countedWas(notFinite, "loss")));
    for (const auto& [name, named] : record.named)
        if (const auto lost = named.curve.notFinite(); lost > 0)
            add(fmt::format("{} of {}: no number, not drawn.", counted(lost, "value"), name));
    return html;
}

}  // namespace

std::string reportCharts(const RunRecord& record, const ReportWords& say) {
    const RunView& view = *record.view;
    const auto marks = marksOf(view, say);
    Scores training = trainingOf(view);
    Scores validation = validationOf(view);
    Scores evaluated = evaluatedOf(view);
    std::string figures;
    const auto draw = [&](std::string title, std::string unit, Points steps, Points epochs,
                          Points scored) {
        figures += svgFigure({.title = std::move(title),
                              .unit = std::move(unit),
                              .curves = {{say("training"), std::move(steps)},
                                         {say("validation"), std::move(epochs), true},
                                         {say("evaluator"), std::move(scored), true}},
                              .marks = marks});
    };
    draw(say("Loss"), "", record.loss.points(kMostPoints), validation.loss, evaluated.loss);
    draw(say("Accuracy"), "", record.accuracy.points(kMostPoints), validation.accuracy,
         evaluated.accuracy);
    for (const auto& [name, points] : training.figures)
        validation.figures.try_emplace(name);
    for (const auto& [name, points] : evaluated.figures)
        validation.figures.try_emplace(name);
    for (const auto& [name, points] : validation.figures)
        draw(wordsOf(name), "", training.figures[name], points, evaluated.figures[name]);
    figures +=
        svgFigure({.title = say("Time of a step"),
                   .unit = "ms",
                   .curves = {{say("all replicas"), record.milliseconds.points(kMostPoints)}},
                   .marks = marks});
    std::size_t drawn = 0;
    for (const auto& [name, named] : record.named) {
        if (drawn == kMostNamed) break;
        ++drawn;
        figures += svgFigure({.title = name,
                              .unit = named.unit,
                              .curves = {{say("all replicas"), named.curve.points(kMostPoints)}},
                              .marks = marks});
    }
    if (figures.empty()) return {};
    std::string html = fmt::format(
        "<h2>{}</h2>\n<p class=\"quiet\">{}</p>\n", htmlText(say("Curves")),
        htmlText(
            say("Over steps; the line is the mean of all replicas, the band reaches from their "
                "least to their most. Dashed lines: where it went on after a stop or a "
                "failure.")));
    html += leftOut(record, drawn, say);
    return html + "<div class=\"charts\">\n" + figures + "</div>\n";
}

}  // namespace lockstep::job
