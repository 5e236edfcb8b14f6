// SPDX-License-Identifier: Apache-2.0
#include "core/job/report/report_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>
#include <vector>

#include "core/base/plural.h"
#include "core/job/report/html_text.h"

namespace lockstep::job {

namespace {

constexpr std::size_t kMostRows = 200;
constexpr int kMostClasses = 25;
constexpr std::size_t kMostPairs = 10;

std::string cell(const std::string& text) {
    return fmt::format("<td>{}</td>", htmlText(text));
}
std::string words(const std::string& text) {
    return fmt::format("<td class=\"words\">{}</td>", htmlText(text));
}
std::string number(double value) {
    return fmt::format("<td class=\"n\">{}</td>", numberText(value));
}
std::string number(const std::optional<double>& value) {
    return value ? number(*value) : "<td class=\"n\">-</td>";
}
std::string count(std::int64_t value) {
    return fmt::format("<td class=\"n\">{}</td>", groupedText(value));
}
std::string percent(double share) {
    return std::isfinite(share) ? fmt::format("<td class=\"n\">{:.2f} %</td>", 100 * share)
                                : "<td class=\"n\">-</td>";
}

struct Column {
    const char* name;
    bool isNumber = false;
};

/// Of many rows the first and the last ones, and between them how many there are.
std::string table(const ReportWords& say, const std::string& title,
                  const std::vector<Column>& columns, std::size_t rows,
                  const std::function<std::string(std::size_t)>& row) {
    if (rows == 0) return {};
    std::string html =
        fmt::format("<h2>{}</h2>\n<div class=\"wide\"><table>\n<thead><tr>", htmlText(say(title)));
    for (const Column& column : columns)
        html += fmt::format("<th{}>{}</th>", column.isNumber ? " class=\"n\"" : "",
                            htmlText(say(column.name)));
    html += "</tr></thead>\n<tbody>\n";
    for (std::size_t i = 0; i < rows; ++i) {
        if (rows > kMostRows && i == kMostRows / 2) {
            const std::size_t between = rows - kMostRows;
            html +=
                fmt::format("<tr><td class=\"words quiet\" colspan=\"{}\">{}</td></tr>\n",
                            columns.size(), htmlText(say(counted(between, "row") + " between")));
            i += between;
        }
        html += "<tr>" + row(i) + "</tr>\n";
    }
    return html + "</tbody></table></div>\n";
}

struct Happening {
    double wallTime = 0;
    std::string what;
    std::string sentence;
};

std::string drillWords(const DrillView& drill) {
    return fmt::format("{} of process {} on purpose: {}", wordOf(drill.order.kind),
                       drill.order.processId, drill.sentence);
}

std::vector<Happening> happeningsOf(const RunView& view) {
    std::vector<Happening> all;
    for (std::size_t i = 0; i < view.starts.size(); ++i) {
        const StartView& start = view.starts[i];
        const std::string replicas =
            start.replicas > 0 ? " on " + counted(start.replicas, "replica") : "";
        all.push_back({start.wallTime, i == 0 ? "started" : "went on",
                       i == 0 ? "It began" + replicas
                              : fmt::format("It went on behind step {}{}",
                                            groupedText(start.firstStep), replicas)});
    }
    for (const FailureView& failure : view.failures)
        all.push_back({failure.wallTime, "failure",
                       fmt::format("{} {} ({}) at step {}: {}; noticed after {}",
                                   failure.role == Role::Evaluator ? "evaluator" : "process",
                                   failure.processId, failure.host, groupedText(failure.step),
                                   failure.cause, durationText(failure.detectedAfterSeconds))});
    for (const NoticeView& notice : view.notices)
        all.push_back({notice.wallTime, "notice", notice.sentence});
    for (const DrillView& drill : view.drills)
        all.push_back({drill.orderedWallTime, "drill", drillWords(drill)});
    for (const CheckpointView& checkpoint : view.checkpoints)
        if (!checkpoint.error.empty())
            all.push_back(
                {checkpoint.wallTime, "checkpoint",
                 fmt::format("step {}: {}", groupedText(checkpoint.step), checkpoint.error)});
    for (const auto& evaluation : view.evaluations)
        if (!evaluation->error.empty())
            all.push_back(
                {evaluation->wallTime, "evaluation",
                 fmt::format("step {}: {}", groupedText(evaluation->step), evaluation->error)});
    if (view.endedWallTime > 0) all.push_back({view.endedWallTime, "ended", view.sentence});
    std::ranges::stable_sort(all, {}, &Happening::wallTime);
    return all;
}

std::string happenings(const RunView& view, const ReportWords& say) {
    const auto all = happeningsOf(view);
    return table(say, "What happened", {{"when"}, {"what"}, {""}}, all.size(), [&](std::size_t i) {
        return cell(all[i].wallTime > 0
                        ? "+" + durationText(std::max(0.0, all[i].wallTime - view.startedWallTime))
                        : "-") +
               cell(say(all[i].what)) + words(say(all[i].sentence));
    });
}

std::string epochs(const RunView& view, const ReportWords& say) {
    const auto& all = view.epochResults;
    return table(say, "Epochs",
                 {{"epoch", true},
                  {"step", true},
                  {"training loss", true},
                  {"training accuracy", true},
                  {"validation loss", true},
                  {"validation accuracy", true},
                  {"time", true}},
                 all.size(), [&all](std::size_t i) {
                     const EpochView& epoch = all[i];
                     return count(epoch.epoch) + count(epoch.step) + number(epoch.trainLoss) +
                            percent(epoch.trainAccuracy) + number(epoch.validationLoss) +
                            percent(epoch.validationAccuracy.value_or(NAN)) +
                            fmt::format("<td class=\"n\">{}</td>", durationText(epoch.seconds));
                 });
}

std::string className(const RunView& view, int index) {
    const auto at = static_cast<std::size_t>(index);
    return at < view.classNames.size() ? view.classNames[at] : std::to_string(index);
}

/// Rows are what samples are, columns what they were taken for.
std::string confusion(const RunView& view, const EvaluationView& evaluation,
                      const ReportWords& say) {
    const auto classes = static_cast<std::size_t>(evaluation.classes);
    if (evaluation.classes < 2 || evaluation.classes > kMostClasses ||
        evaluation.confusion.size() != classes * classes)
        return {};
    std::string html = fmt::format(
        "<p class=\"quiet\">{}</p>\n"
        "<div class=\"wide\"><table class=\"matrix\">\n<thead><tr><th></th>",
        htmlText(say("Rows: what samples are; columns: what they were taken for.")));
    for (int column = 0; column < evaluation.classes; ++column)
        html += fmt::format("<th class=\"n\">{}</th>", htmlText(className(view, column)));
    html += "</tr></thead>\n<tbody>\n";
    for (std::size_t row = 0; row < classes; ++row) {
        const auto* const counts = evaluation.confusion.data() + row * classes;
        const auto most = *std::max_element(counts, counts + classes);
        html += fmt::format("<tr><th>{}</th>", htmlText(className(view, static_cast<int>(row))));
        for (std::size_t column = 0; column < classes; ++column) {
            const double share = most > 0 ? double(counts[column]) / most : 0;
            html += fmt::format(
                "<td style=\"background:color-mix(in srgb,var({}) {:.0f}%,"
                "transparent)\">{}</td>",
                column == row ? "--good" : "--bad", counts[column] > 0 ? 8 + 52 * share : 0,
                counts[column]);
        }
        html += "</tr>\n";
    }
    return html + "</tbody></table></div>\n";
}

std::vector<EvaluationView::Cell> pairsOf(const EvaluationView& evaluation) {
    std::vector<EvaluationView::Cell> pairs = evaluation.cells;
    const int classes = evaluation.classes;
    if (evaluation.confusion.size() ==
        static_cast<std::size_t>(classes) * static_cast<std::size_t>(classes))
        for (int row = 0; row < classes; ++row)
            for (int column = 0; column < classes; ++column)
                pairs.push_back(
                    {row, column,
                     evaluation.confusion[static_cast<std::size_t>(row * classes + column)]});
    std::erase_if(
        pairs, [](const auto& pair) { return pair.truth == pair.prediction || pair.count == 0; });
    std::ranges::stable_sort(pairs, std::greater<>(), &EvaluationView::Cell::count);
    return pairs;
}

std::string confusedPairs(const RunView& view, const EvaluationView& evaluation,
                          const ReportWords& say) {
    const auto pairs = pairsOf(evaluation);
    const std::size_t shown = std::min(pairs.size(), kMostPairs);
    return table(say,
                 shown < pairs.size()
                     ? fmt::format("Most confused, {} of {}", shown, counted(pairs.size(), "pair"))
                     : "Most confused",
                 {{"is"}, {"taken for"}, {"samples", true}}, shown, [&](std::size_t i) {
                     return cell(className(view, pairs[i].truth)) +
                            cell(className(view, pairs[i].prediction)) +
                            count(static_cast<std::int64_t>(pairs[i].count));
                 });
}

/// Of the newest step; of the test data where they were scored there.
const EvaluationView* newestEvaluation(const RunView& view) {
    const EvaluationView* newest = nullptr;
    for (const auto& evaluation : view.evaluations) {
        if (!evaluation->error.empty()) continue;
        const bool isNewer = newest == nullptr || evaluation->step > newest->step ||
                             (evaluation->step == newest->step && evaluation->split == "test");
        if (isNewer) newest = evaluation.get();
    }
    return newest;
}

std::string evaluation(const RunView& view, const ReportWords& say) {
    const EvaluationView* const newest = newestEvaluation(view);
    if (newest == nullptr) return {};
    std::string html =
        fmt::format("<h2>{}</h2>\n<p>{}",
                    htmlText(say(fmt::format("Evaluation of step {}, {} data",
                                             groupedText(newest->step), newest->split))),
                    htmlText(say("Loss " + numberText(newest->loss))));
    if (std::isfinite(newest->accuracy))
        html += htmlText(", " + say(fmt::format("accuracy {:.2f} %", 100 * newest->accuracy)));
    for (const FigureView& figure : newest->figures)
        html += fmt::format(", {} {}", htmlText(figure.name), numberText(figure.value));
    html += ".</p>\n" + confusion(view, *newest, say) + confusedPairs(view, *newest, say);
    html += table(
        say, "Errors of predicted numbers",
        {{"target"},
         {"mean", true},
         {"deviation", true},
         {"least", true},
         {"median", true},
         {"most", true}},
        newest->residuals.size(), [newest](std::size_t i) {
            const auto& residuals = newest->residuals[i];
            const auto quantile = [&](std::size_t at) {
                return number(at < residuals.quantiles.size() ? residuals.quantiles[at] : NAN);
            };
            return cell(i < newest->targetNames.size() ? newest->targetNames[i]
                                                       : std::to_string(i)) +
                   number(residuals.mean) + number(residuals.deviation) + quantile(0) +
                   quantile(3) + quantile(6);
        });
    for (const auto& text : newest->texts)
        html += fmt::format("<pre>{}<b>{}</b></pre>\n", htmlText(text.prompt),
                            htmlText(text.continuation));
    return html;
}

std::string processes(const RunView& view, const ReportWords& say) {
    const auto& all = view.replicas;
    return table(
        say, "Replicas",
        {{"replica"},
         {"process", true},
         {"host"},
         {"device"},
         {"step", true},
         {"memory, MB", true},
         {"state"}},
        all.size(), [&](std::size_t i) {
            const ReplicaView& replica = all[i];
            constexpr double kMega = 1e6;
            return cell(replica.role == Role::Evaluator ? say("evaluator")
                                                        : std::to_string(replica.replica)) +
                   count(replica.processId) + cell(replica.host) +
                   cell(replica.deviceName.empty() ? replica.device
                                                   : replica.device + ", " + replica.deviceName) +
                   count(replica.step) +
                   count(std::llround(static_cast<double>(replica.residentBytes) / kMega)) +
                   words(say(replica.state));
        });
}

}  // namespace

std::string reportTables(const RunRecord& record, const ReportWords& say) {
    const RunView& view = *record.view;
    return happenings(view, say) + epochs(view, say) + evaluation(view, say) + processes(view, say);
}

}  // namespace lockstep::job
