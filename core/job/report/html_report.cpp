// SPDX-License-Identifier: Apache-2.0
#include "core/job/report/html_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <vector>

#include "core/base/file.h"
#include "core/base/plural.h"
#include "core/base/summary_limit.h"
#include "core/base/try.h"
#include "core/job/fold/scored_checkpoints.h"
#include "core/job/report/html_text.h"
#include "core/job/report/page_parts.h"
#include "core/job/report/report_charts.h"
#include "core/job/report/report_tables.h"
#include "core/text/json.h"

namespace lockstep::job {

namespace {

using text::Json;

struct Pill {
    const char* word;
    std::string_view tone;  ///< A class of the page's style.
};

Pill pillOf(const RunRecord& record) {
    switch (record.view->state) {
        case RunState::Completed:
            return {"completed", "good"};
        case RunState::Stopped:
            return {"stopped", "warn"};
        case RunState::Failed:
            return {"failed", "bad"};
        default:
            return record.isRunning ? Pill{"running", "good"} : Pill{"cut off", "bad"};
    }
}

std::string tile(std::string_view what, const std::string& value, const std::string& more = {}) {
    return fmt::format("<div class=\"tile\"><small>{}</small><b>{}</b><small>{}</small></div>\n",
                       htmlText(what), htmlText(value), htmlText(more));
}

std::string percent(double share) {
    return fmt::format("{:.2f} %", 100 * share);
}

/// "test accuracy", "validation loss": what the summary has of a split.
std::string scoreTiles(const Json& summary, const std::string& split, const ReportWords& say) {
    std::string tiles;
    if (const auto accuracy = summary.get<double>(split + "_accuracy"))
        tiles += tile(say(split + " accuracy"), percent(*accuracy));
    if (const auto loss = summary.get<double>(split + "_loss"))
        tiles += tile(say(split + " loss"), numberText(*loss));
    return tiles;
}

std::string tiles(const RunRecord& record, const ReportWords& say) {
    const RunView& view = *record.view;
    const Json summary = text::parseJson(view.summaryJson, kMostSummaryBytes).value_or(Json());
    std::string tiles = "<div class=\"tiles\">\n";
    if (summary.isObject())
        for (const char* split : {"test", "validation", "train"})
            tiles += scoreTiles(summary, split, say);
    if (const auto best = summary.isObject() ? summary.get<double>("best_value") : std::nullopt)
        tiles += tile(
            say("best"), numberText(*best),
            say(fmt::format("in epoch {:.0f}", summary.get<double>("best_epoch").value_or(0))));
    tiles +=
        tile(say("steps"), groupedText(view.step),
             view.totalSteps > view.step ? say(fmt::format("of {} {}", groupedText(view.totalSteps),
                                                           nounFor(view.totalSteps, "step")))
                                         : "");
    tiles += tile(say("replicas"), std::to_string(view.replicaCount),
                  view.device + (view.backend.empty() ? "" : ", " + view.backend));
    const double end = view.endedWallTime > 0 ? view.endedWallTime : record.newestWallTime;
    tiles += tile(say("time"),
                  durationText(view.ranSeconds > 0 ? view.ranSeconds : end - view.startedWallTime));
    if (const auto rate =
            summary.isObject() ? summary.get<double>("samples_per_second") : std::nullopt)
        tiles += tile(say("samples a second"), numberText(*rate));
    const auto scored = scoredCheckpoints(view);
    if (!view.evaluations.empty() && scored.checkpoints > 0)
        tiles += tile(say("checkpoints scored"), std::to_string(scored.scored),
                      say("of " + counted(scored.checkpoints, "checkpoint")));
    return tiles + "</div>\n";
}

std::string titleOf(const RunRecord& record) {
    if (!record.about.name.empty()) return record.about.name;
    const RunView& view = *record.view;
    return view.name.empty() ? view.runDir.filename().string() : view.name;
}

/// What the user says of the run, its job's name where that is not the title.
std::string aboutText(const RunRecord& record, const ReportWords& say) {
    const RunAbout& about = record.about;
    std::string words;
    if (!about.name.empty()) words = say("Job") + " " + record.view->name;
    for (const std::string& tag : about.tags)
        words += (words.empty() ? "" : " · ") + tag;
    std::string html;
    if (!words.empty()) html += fmt::format("<p class=\"quiet\">{}</p>\n", htmlText(words));
    if (!about.note.empty())
        html += fmt::format("<p style=\"white-space: pre-wrap\">{}</p>\n", htmlText(about.note));
    return html;
}

std::string head(const RunRecord& record, const ReportWords& say) {
    const RunView& view = *record.view;
    const Pill pill = pillOf(record);
    std::string html = fmt::format(
        "<div class=\"head\"><h1>{}</h1><span class=\"pill {}\">{}</span>"
        "<span class=\"quiet\">{} · {}</span></div>\n",
        htmlText(titleOf(record)), pill.tone, htmlText(say(pill.word)), htmlText(view.runId),
        htmlText(say("started " + momentText(view.startedWallTime))));
    html += aboutText(record, say);
    if (!view.error.empty())
        html += fmt::format("<div class=\"cause\"><b>{}</b>{}{}</div>\n", htmlText(say(view.error)),
                            view.remedy.empty() ? "" : "\n", htmlText(say(view.remedy)));
    if (!view.missing.empty())
        html += fmt::format("<p class=\"warn\">{}</p>\n",
                            htmlText(say(fmt::format("Missing: {}.", view.missing))));
    return html;
}

/// What the page's script says of the points under the mouse.
std::string readingWords(const ReportWords& say) {
    return fmt::format(" data-step=\"{}\" data-steps=\"{}\" data-range=\"{}\"",
                       htmlText(say("step %1")), htmlText(say("steps %1 to %2")),
                       htmlText(say("(%1 to %2)")));
}

}  // namespace

std::string htmlReport(const RunRecord& record, const ReportWords& say) {
    const RunView& view = *record.view;
    std::string html = fmt::format(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\"/>\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
        "<title>{}</title>\n<style>{}</style>\n</head>\n<body>\n<main{}>\n",
        htmlText(say.code), htmlText(titleOf(record)), kReportStyle, readingWords(say));
    html += head(record, say) + tiles(record, say) + reportCharts(record, say) +
            reportTables(record, say);
    html +=
        fmt::format("<h2>{}</h2>\n<pre>{}</pre>\n", htmlText(say("Job")), htmlText(view.jobToml));
    html += fmt::format("<footer>{}</footer>\n",
                        htmlText(say(fmt::format("Written by Lockstep from the run's records up to "
                                                 "{}.",
                                                 momentText(record.newestWallTime)))));
    html += fmt::format("</main>\n<script>//<![CDATA[\n{}//]]>\n</script>\n</body>\n</html>\n",
                        kReportScript);
    return html;
}

std::string reportFileName(const std::filesystem::path& runDir) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(runDir, ignored).filename().string() + ".html";
}

Result<void> writeHtmlReport(const std::filesystem::path& runDir, const std::filesystem::path& file,
                             const ReportWords& say) {
    const RunRecord record = TRY(readRunRecord(runDir));
    return replaceFileDurably(file, htmlReport(record, say));
}

}  // namespace lockstep::job
