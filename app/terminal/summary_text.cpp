// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/summary_text.h"

#include <fmt/format.h>

#include <ranges>

#include "app/terminal/metric_text.h"
#include "core/base/plural.h"
#include "core/base/summary_limit.h"
#include "core/text/json.h"

namespace lockstep::app {

namespace {

/// "  slow        process 1 (node-b) cost the others 18 % of 34 s"; a line each, the first ones.
std::string stragglersText(const text::Json& summary) {
    constexpr int kMost = 5;
    const text::Json* list = summary.find("stragglers");
    if (list == nullptr) return "";
    std::string text;
    for (const text::Json& one : list->items() | std::views::take(kMost))
        text += fmt::format(
            "  slow        process {} ({}) cost the others {:.0f} % of {:.0f} s{}\n",
            one.get<int>("process_id").value_or(0), one.get<std::string>("host").value_or(""),
            100 * one.get<double>("cost").value_or(0), one.get<double>("seconds").value_or(0),
            one.get<bool>("together").value_or(false) ? ", together with others" : "");
    if (list->items().size() > std::size_t{kMost})
        text += fmt::format("              and {} more (summary.json)\n",
                            list->items().size() - std::size_t{kMost});
    if (const auto leftOut = summary.get<std::int64_t>("stragglers_left_out").value_or(0))
        text += fmt::format("              {} more times somebody was slow, which cost less\n",
                            leftOut);
    return text;
}

/// "  evaluator   22 of 24 checkpoints scored"; nothing where there is no evaluator.
std::string evaluationText(const text::Json& summary) {
    const text::Json* evaluation = summary.find("evaluation");
    if (evaluation == nullptr || !evaluation->isObject()) return "";
    const auto checkpoints = evaluation->get<std::int64_t>("checkpoints").value_or(0);
    return fmt::format("  evaluator   {} of {} scored\n",
                       evaluation->get<std::int64_t>("scored").value_or(0),
                       counted(static_cast<std::size_t>(checkpoints), "checkpoint"));
}

/// "  copies      12 checkpoints on gpu2, too, the newest of step 3480"; nothing where none were
/// made.
std::string copiesText(const text::Json& summary) {
    const text::Json* copies = summary.find("checkpoint_copies");
    if (copies == nullptr || !copies->isObject()) return "";
    const auto copied = copies->get<std::int64_t>("copied").value_or(0);
    if (copied == 0) return "";
    return fmt::format("  copies      {} on {}, too, the newest of step {}\n",
                       counted(static_cast<std::size_t>(copied), "checkpoint"),
                       copies->get<std::string>("host").value_or(""),
                       copies->get<std::int64_t>("newest_step").value_or(0));
}

/// "completed after 800 steps on 2 replicas (shm), 1.2 s of training"; of a run whose chief was
/// lost, who would have told the rest, what is known.
std::string headOf(const text::Json& summary, const job::RunView& view) {
    std::string text = summary.get<std::string>("status").value_or("");
    const auto steps = summary.get<std::int64_t>("steps").value_or(view.step);
    text += steps > 0 ? " after " + counted(steps, "step") : " before its first step";
    if (const auto replicas = summary.get<std::int64_t>("world_size"))
        text += fmt::format(" on {} ({})", counted(*replicas, "replica"), view.backend);
    if (const auto seconds = summary.get<double>("train_seconds"))
        text += fmt::format(", {:.1f} s of training", *seconds);
    return text;
}

}  // namespace

std::string summaryText(const job::RunView& view) {
    const text::Json summary =
        text::parseJson(view.summaryJson, kMostSummaryBytes).value_or(text::Json());
    if (!summary.isObject()) return "";
    const auto number = [&summary](std::string_view key, const char* format) {
        const auto figure = summary.get<double>(key);
        return figure ? fmt::format(fmt::runtime(format), *figure) : std::string("-");
    };
    const auto isThere = [&summary](std::string_view key) {
        return summary.get<double>(key).has_value();
    };
    std::string text;
    const auto count = [&](const char* key, const char* noun) {
        const std::string figure = number(key, "{:.0f}");
        return figure + " " + (figure == "1" ? noun : pluralOf(noun));
    };
    text += headOf(summary, view) + "\n";
    if (isThere("stopped_early_at_epoch"))
        text += fmt::format("  stopped early at the end of epoch {}\n",
                            number("stopped_early_at_epoch", "{:.0f}"));
    if (isThere("best_step"))
        text +=
            fmt::format("  best        {} in epoch {}, step {}{}\n", number("best_value", "{:.4f}"),
                        number("best_epoch", "{:.0f}"), number("best_step", "{:.0f}"),
                        summary.get<bool>("restored_best").value_or(false) ? ", restored" : "");
    if (summary.get<double>("skipped_steps").value_or(0) > 0)
        text += fmt::format("  left out    {} of {}: a loss was not a number\n",
                            number("skipped_steps", "{:.0f}"), count("steps", "step"));
    // What nobody has reported is not worth a line of dashes.
    const bool ownProgram = summary.get<std::string>("backend") == "program";
    const auto scoresOf = [&](const char* title, const std::string& split) {
        const std::string loss = number(split + "_loss", "{:.4f}");
        const std::string accuracy = number(split + "_accuracy", "{:.4f}");
        if (loss == "-" && accuracy == "-") return;
        text += fmt::format("  {:<12}loss {}", title, loss);
        if (accuracy != "-") text += "  accuracy " + accuracy;
        text += metricsIn(summary, split + "_") + "\n";
    };
    if (ownProgram) scoresOf("training", "train");
    scoresOf("test", "test");
    scoresOf("validation", "validation");
    text += evaluationText(summary) + copiesText(summary) + stragglersText(summary);
    if (!ownProgram && isThere("samples_per_second"))
        text += fmt::format("  throughput  {} samples/s\n", number("samples_per_second", "{:.0f}"));
    if (const auto leftOut = summary.get<std::string>("left_out"))
        text += fmt::format("  summary     without {}\n", *leftOut);
    if (!view.missing.empty()) text += fmt::format("  missing     {}\n", view.missing);
    text += fmt::format("  run folder  {}\n", view.runDir.string());
    return text;
}

}  // namespace lockstep::app
