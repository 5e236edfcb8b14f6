// SPDX-License-Identifier: Apache-2.0
// lockstepctl attach and runs: what one does with runs that are there.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <limits>

#include "app/ctl/attached_run.h"
#include "app/ctl/commands.h"
#include "app/ctl/run_folders.h"
#include "app/terminal/colour.h"
#include "app/terminal/error_output.h"
#include "app/terminal/follow.h"
#include "app/terminal/job_argument.h"
#include "app/terminal/metric_text.h"
#include "core/base/file.h"
#include "core/base/plural.h"
#include "core/job/fold/session.h"
#include "core/job/runs_folder.h"
#include "core/text/json.h"

namespace lockstep::app {

namespace {

/// Read for a list of runs without being asked to: a fraction of a second.
constexpr std::uint64_t kMostJournalBytes = std::uint64_t{64} << 20;

int attach(const std::string& name) {
    const auto session = attachToRun(name);
    if (!session) return session.error();
    return followToTheEnd(**session, {.onInterrupt = OnInterrupt::LeaveRun});
}

std::string utcTime(double seconds) {
    if (seconds <= 0) return "-";
    const auto whole = static_cast<std::time_t>(seconds);
    std::tm parts{};
    gmtime_r(&whole, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
    return text;
}

/// Where it was looked, and where new runs go.
void printPlaces(const std::string& folder, bool foundAny) {
    std::string looked = folder.empty() ? namedFolders(job::knownRunsFolders()) : folder;
    if (looked.empty()) looked = "any folder that is known";
    if (!foundAny) std::printf("no runs below %s\n", looked.c_str());
    if (!folder.empty()) return;
    if (foundAny) std::printf("\nlooked below %s\n", looked.c_str());
    const auto chosen = job::chosenRunsFolder();
    std::printf("new runs: %s\n", chosen.empty()
                                      ? fmt::format("runs/ beside the job file, else {}",
                                                    job::runsFolderFor({}).folder.string())
                                            .c_str()
                                      : chosen.c_str());
}

/// `where`: a folder, or "beside".
int chooseWhereRunsLie(const std::string& where) {
    auto chosen = job::chooseRunsFolder(where == "beside" ? "" : where);
    if (!chosen) return report(chosen.error());
    const auto folder = job::chosenRunsFolder();
    std::printf("new runs: %s\n", folder.empty() ? "runs/ beside the job file" : folder.c_str());
    return 0;
}

text::Json jsonOf(const std::optional<job::Score>& score) {
    if (!score) return nullptr;
    return text::Json::object({{"name", score->name},
                               {"value", score->value},
                               {"larger_is_better", score->largerIsBetter}});
}

void printAsJson(const std::vector<job::RunEntry>& runs,
                 const std::vector<job::RecordsCheck>& checks) {
    text::Json::List list;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const job::RunEntry& run = runs[i];
        list.push_back(text::Json::object({{"run_dir", run.runDir.string()},
                                           {"run_id", run.runId},
                                           {"name", run.name},
                                           {"status", run.status},
                                           {"running", run.running},
                                           {"drills", run.drills},
                                           {"started", run.startedWallTime},
                                           {"missing", checks[i].missing},
                                           {"examined", checks[i].examined},
                                           {"test_accuracy", run.testAccuracy},
                                           {"test_score", jsonOf(run.testScore)},
                                           {"validation_score", jsonOf(run.validationScore)},
                                           {"took_seconds", run.tookSeconds},
                                           {"called", run.about.name},
                                           {"tags", text::Json(run.about.tags)},
                                           {"note", run.about.note}}));
    }
    std::printf("%s\n", text::Json(std::move(list)).text(2).c_str());
}

/// A column of its own width, in a colour where there are any. "failed, drill": a fault was made on
/// purpose in it.
std::string statusText(const job::RunEntry& run) {
    const std::string& status = run.status;
    const std::string column = fmt::format("{:<12}", status + (run.drills > 0 ? ", drill" : ""));
    if (status == "completed") return inked(column, Ink::Good, stdout);
    if (status == "failed") return inked(column, Ink::Bad, stdout);
    const bool isDoubtful = status == "interrupted" || status == "unknown";
    return isDoubtful ? inked(column, Ink::Warn, stdout) : column;
}

/// What is lost of the runs' records, and of how many that is not known.
void printMissing(const std::vector<job::RunEntry>& runs,
                  const std::vector<job::RecordsCheck>& checks) {
    int unread = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        if (!checks[i].missing.empty())
            say(stderr, "warning", runs[i].runDir.string() + ": " + checks[i].missing);
        if (!runs[i].aboutProblem.empty()) say(stderr, "warning", runs[i].aboutProblem);
        if (!checks[i].examined && !runs[i].running) ++unread;
    }
    if (unread > 0)
        say(stderr, "note",
            fmt::format("the {} of {} not read: `lockstepctl runs --check` does",
                        nounFor(unread, "journal"), countedWas(unread, "run")));
}

/// "accuracy 0.9810", "root mean squared error 51234".
std::string scoreText(const std::optional<job::Score>& score) {
    if (!score) return "-";
    if (score->name == "accuracy") return fmt::format("accuracy {:.4f}", score->value);
    return figuresText("", {{score->name, score->value}});
}

int listRuns(const std::string& folder, bool asJson, bool checkAll) {
    const auto runs = job::listRuns(folder);
    const auto checks = job::checkRecords(
        runs, checkAll ? std::numeric_limits<std::uint64_t>::max() : kMostJournalBytes);
    if (asJson) {
        printAsJson(runs, checks);
        return 0;
    }
    if (runs.empty()) {
        printPlaces(folder, false);
        return 0;
    }
    std::printf("%-20s  %-12s  %-30s  %s\n", "started (UTC)", "status", "test score", "run folder");
    for (const job::RunEntry& run : runs)
        std::printf("%-20s  %s  %-30s  %s%s\n", utcTime(run.startedWallTime).c_str(),
                    statusText(run).c_str(), scoreText(run.testScore).c_str(), run.runDir.c_str(),
                    job::aboutLine(run.about).c_str());
    printMissing(runs, checks);
    printPlaces(folder, true);
    return 0;
}

}  // namespace

Command addAttachCommand(CommandLine& program) {
    auto name = std::make_shared<std::string>();
    ArgumentList command =
        program.addCommand("attach", "follow a running job, or show an ended one");
    command.add("run", *name, "the run's folder, or its id").required();
    return [name] { return attach(*name); };
}

Command addRunsCommand(CommandLine& program) {
    auto folder = std::make_shared<std::string>();
    auto keepIn = std::make_shared<std::string>();
    auto asJson = std::make_shared<bool>(false);
    auto checkAll = std::make_shared<bool>(false);
    ArgumentList command = program.addCommand("runs", "list runs, the newest first");
    command.add("folder", *folder, "where they lie; by default every known place");
    command.addFlag("--json", *asJson, "as JSON");
    command.addFlag("--check", *checkAll,
                    "read every journal whole for damage; without it, those of the newest runs");
    command.add("--keep-in", *keepIn,
                "from now on new runs lie in this folder, the window's too; \"beside\": "
                "beside their job file again");
    return [folder, keepIn, asJson, checkAll] {
        return keepIn->empty() ? listRuns(*folder, *asJson, *checkAll)
                               : chooseWhereRunsLie(*keepIn);
    };
}

}  // namespace lockstep::app
