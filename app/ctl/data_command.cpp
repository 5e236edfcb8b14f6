// SPDX-License-Identifier: Apache-2.0
// lockstepctl data: what a job trains on, before it does.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "app/ctl/commands.h"
#include "app/terminal/error_output.h"
#include "app/terminal/job_argument.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/job/data_card.h"
#include "core/text/json.h"

namespace lockstep::app {

namespace {

constexpr std::size_t kMostClassesShown = 40;
constexpr std::size_t kLongestName = 60;

struct DataArguments {
    JobArgument job;
    bool json = false;
};

text::Json jsonOf(const job::DataCard& card) {
    using text::Json;
    Json::Object parts;
    for (const auto& part : card.parts)
        parts.emplace(part.name, Json::object({{"samples", part.samples},
                                               {"per_class", Json(part.perClass)}}));
    return Json::object({{"kind", card.kind},
                         {"shape", Json(card.shape)},
                         {"classes", Json(card.classNames)},
                         {"splits", Json(std::move(parts))},
                         {"notes", Json(card.notes)}});
}

/// A line a split; where there are classes, a line each below.
std::string tableOf(const job::DataCard& card) {
    std::string table = fmt::format("{} of {}\n", card.kind, fmt::join(card.shape, " x "));
    std::size_t width = 10;
    const std::size_t shown = std::min(card.classNames.size(), kMostClassesShown);
    std::vector<std::string> names;  // cells of a table, or folders: whatever they hold
    for (std::size_t i = 0; i < shown; ++i)
        names.push_back(sanitizeLine(card.classNames[i], kLongestName));
    for (const std::string& name : names)
        width = std::max(width, name.size() + 2);
    table += fmt::format("{:{}}", "", width);
    for (const auto& part : card.parts)
        table += fmt::format("{:>12}", part.name);
    table += fmt::format("\n{:{}}", "samples", width);
    for (const auto& part : card.parts)
        table += fmt::format("{:>12}", part.samples);
    for (std::size_t i = 0; i < shown; ++i) {
        table += fmt::format("\n  {:{}}", names[i], width - 2);
        for (const auto& part : card.parts)
            table += part.perClass.empty() ? fmt::format("{:>12}", "")
                                           : fmt::format("{:>12}", part.perClass[i]);
    }
    table += '\n';
    if (shown < card.classNames.size())
        table += fmt::format("  and {}, which --json shows\n",
                             counted(card.classNames.size() - shown, "more class"));
    return table;
}

int showData(const DataArguments& arguments) {
    const auto resolved = resolveJob(arguments.job);
    if (!resolved) return report(resolved.error());
    if (resolved->spec.launch.runsOwnProgram())
        return report({ErrorCode::BadInput,
                       arguments.job.file + " has no data: launch.command is what trains",
                       "Name a job with [data]."});
    const auto card =
        job::makeDataCard(resolved->spec, resolved->folder, {.samples = 0, .versions = 0});
    if (!card) return report(card.error());
    if (arguments.json) {
        std::printf("%s\n", jsonOf(*card).text().c_str());
        return finishOutput();
    }
    std::fputs(tableOf(*card).c_str(), stdout);
    for (const std::string& note : card->notes)
        std::printf("note: %s\n", sanitizeLine(note).c_str());
    return finishOutput();
}

}  // namespace

Command addDataCommand(CommandLine& program) {
    auto arguments = std::make_shared<DataArguments>();
    ArgumentList command = program.addCommand(
        "data", "what a job trains on: samples of each split and class, and what was left out");
    command.add("job", arguments->job.file, "the job file").required();
    command.add("--set", arguments->job.settings,
                "KEY=VALUE of the job file, e.g. data.validation_samples=1000");
    command.addFlag("--json", arguments->json, "as JSON, with all classes");
    return [arguments] { return showData(*arguments); };
}

}  // namespace lockstep::app
