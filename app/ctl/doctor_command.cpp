// SPDX-License-Identifier: Apache-2.0
// lockstepctl doctor: is every host of a job fit for it, and what to do where one is not.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <thread>

#include "app/ctl/commands.h"
#include "app/ctl/launch_consent.h"
#include "app/terminal/colour.h"
#include "app/terminal/error_output.h"
#include "app/terminal/job_argument.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/job/doctor.h"
#include "core/launch/ssh/terminal_asker.h"
#include "core/text/json.h"

namespace lockstep::app {

namespace {

using text::Json;

constexpr Millis kLookInterval{50};
constexpr int kShortestColumn = 4;  ///< "fail"

struct DoctorArguments {
    JobArgument job;
    std::string json;
};

const char* wordOf(job::CheckState state) {
    switch (state) {
        case job::CheckState::Pending:
        case job::CheckState::Running:
        case job::CheckState::Unknown:
            return "?";
        case job::CheckState::NotApplicable:
            return "-";
        case job::CheckState::Ok:
            return "ok";
        case job::CheckState::Note:
            return "note";
        case job::CheckState::Warning:
            return "warn";
        case job::CheckState::Failure:
            return "fail";
    }
    return "?";
}

const char* wordOf(config::Severity severity) {
    if (severity == config::Severity::Error) return "fail";
    return severity == config::Severity::Warning ? "warn" : "note";
}

std::string inkedWord(const std::string& word) {
    if (word.starts_with("ok")) return inked(word, Ink::Good, stdout);
    if (word.starts_with("fail")) return inked(word, Ink::Bad, stdout);
    return word.starts_with("warn") ? inked(word, Ink::Warn, stdout) : word;
}

/// The host's name with what it runs: the first column.
std::string nameOf(const job::HostChecks& host) {
    return host.processes.empty() ? host.host : host.host + " (" + host.processes + ")";
}

void printTable(const job::DoctorView& view) {
    std::size_t width = 4;
    for (const job::HostChecks& host : view.hosts)
        width = std::max(width, nameOf(host).size());
    std::printf("%-*s", static_cast<int>(width), "");
    for (const std::string& check : view.checks)
        std::printf("  %-*s", kShortestColumn, check.c_str());
    std::printf("\n");
    for (const job::HostChecks& host : view.hosts) {
        std::string line = nameOf(host);
        line.resize(width, ' ');
        for (std::size_t i = 0; i < host.checks.size(); ++i) {
            std::string cell = wordOf(host.checks[i].state);
            cell.resize(std::max<std::size_t>(view.checks[i].size(), kShortestColumn), ' ');
            line += "  " + inkedWord(cell);
        }
        line.erase(line.find_last_not_of(' ') + 1);
        std::printf("%s\n", line.c_str());
    }
}

void printProblems(const job::DoctorView& view) {
    for (const job::HostProblem& problem : view.problems) {
        const std::string hosts =
            problem.host + (problem.otherHost.empty() ? "" : ", " + problem.otherHost);
        std::printf("\n%s: %s: %s: %s\n", inkedWord(wordOf(problem.severity)).c_str(),
                    hosts.c_str(), view.checks[static_cast<std::size_t>(problem.check)].c_str(),
                    problem.sentence.c_str());
        if (!problem.advice.empty()) std::printf("  %s\n", problem.advice.c_str());
        if (!problem.command.empty()) std::printf("  $ %s\n", problem.command.c_str());
        if (!problem.key.empty())
            std::printf("  %s: %s = %s\n", problem.change.c_str(), problem.key.c_str(),
                        problem.value.c_str());
    }
}

Json describe(const job::HostProblem& problem, const job::DoctorView& view) {
    auto entry = Json::object({{"host", problem.host},
                               {"check", view.checks[static_cast<std::size_t>(problem.check)]},
                               {"severity", wordOf(problem.severity)},
                               {"sentence", problem.sentence},
                               {"advice", problem.advice},
                               {"command", problem.command}});
    if (!problem.otherHost.empty()) entry["other_host"] = problem.otherHost;
    if (!problem.key.empty())
        entry["change"] = Json::object(
            {{"key", problem.key}, {"value", problem.value}, {"label", problem.change}});
    return entry;
}

Json describe(const job::HostChecks& host, const std::vector<std::string>& names) {
    Json checks = Json::Object();
    for (std::size_t i = 0; i < host.checks.size(); ++i)
        checks[names[i]] = Json::object({{"state", wordOf(host.checks[i].state)},
                                         {"word", host.checks[i].word},
                                         {"detail", host.checks[i].detail}});
    return Json::object(
        {{"host", host.host}, {"processes", host.processes}, {"checks", std::move(checks)}});
}

Json describe(const job::DoctorView& view) {
    Json::List hosts;
    for (const job::HostChecks& host : view.hosts)
        hosts.push_back(describe(host, view.checks));
    Json::List problems;
    for (const job::HostProblem& problem : view.problems)
        problems.push_back(describe(problem, view));
    return Json::object({{"ready", view.ready()},
                         {"sentence", view.sentence},
                         {"seconds", view.seconds},
                         {"hosts", std::move(hosts)},
                         {"problems", std::move(problems)}});
}

/// What is said while it goes on: one line that is overwritten on a terminal, else the news alone.
class ProgressLine {
public:
    void show(const job::DoctorView& view) {
        std::string words = view.sentence;
        for (const job::HostChecks& host : view.hosts)
            if (!host.progress.empty()) words = host.progress;
        if (words == shown_) return;
        shown_ = words;
        std::fprintf(stderr, onTerminal_ ? "\r%s\033[K" : "%s\n", words.c_str());
    }
    void clear() const {
        if (onTerminal_) std::fputs("\r\033[K", stderr);
    }

private:
    const bool onTerminal_ = ::isatty(STDERR_FILENO) == 1;
    std::string shown_;
};

int examine(const DoctorArguments& arguments) {
    auto job = resolveJob(arguments.job);
    if (!job) return report(job.error());
    if (!consentToExamine(arguments.job.file, *job)) {
        std::fprintf(stderr, "not examined\n");
        return 3;
    }
    job::DoctorOptions options;
    options.asker = launch::terminalAsker();
    auto doctor = job::startDoctor(job->toml, job->folder, options);
    if (!doctor) return report(doctor.error());
    ProgressLine progress;
    auto view = (*doctor)->view();
    for (; view->running; view = (*doctor)->view()) {
        progress.show(*view);
        std::this_thread::sleep_for(kLookInterval);
    }
    progress.clear();
    printTable(*view);
    printProblems(*view);
    std::printf("\n%s (%.1f s)\n", view->sentence.c_str(), view->seconds);
    std::fflush(stdout);
    if (!arguments.json.empty()) {
        const std::string facts = describe(*view).text(2) + "\n";
        if (auto written = replaceFileDurably(arguments.json, facts); !written)
            return report({ErrorCode::BadInput, "--json: " + written.error().message,
                           "Name a file in a folder that is there and that you may write to."});
    }
    if (view->ready()) return 0;
    return report({ErrorCode::BadInput, view->sentence, "Each is listed above with its way out."});
}

}  // namespace

Command addDoctorCommand(CommandLine& program) {
    auto arguments = std::make_shared<DoctorArguments>();
    ArgumentList command =
        program.addCommand("doctor", "examine every host of a job before anything trains");
    command.add("job", arguments->job.file, "the job file").required();
    command.add("--set", arguments->job.settings,
                "KEY=VALUE of the job file, e.g. launch.method=ssh");
    command.add("--run-dir", arguments->job.runDir, "the run's folder");
    command.add("--json", arguments->json, "also write everything to this file");
    return [arguments] { return examine(*arguments); };
}

}  // namespace lockstep::app
