// SPDX-License-Identifier: Apache-2.0
// lockstepctl logs: what the processes of a run wrote.
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <thread>
#include <utility>

#include "app/ctl/attached_run.h"
#include "app/ctl/commands.h"
#include "app/ctl/run_folders.h"
#include "app/terminal/error_output.h"
#include "app/terminal/output_line.h"
#include "core/base/clock.h"

namespace lockstep::app {

namespace {

/// To a run's coordinator, which may be behind a login with its questions.
constexpr std::chrono::seconds kConnectTimeout{120};
constexpr std::chrono::seconds kSilenceBeforeItIsSaid{3};
constexpr Millis kInterval{50};

using Process = std::pair<job::Role, int>;

struct LogsArguments {
    std::string run;
    std::string process;
    std::string level = "debug";
    bool follow = false;
};

/// Prints the lines that were asked for. A line that is unfinished is shown as it grows on a
/// terminal, and once at the end elsewhere.
class LogPrinter {
public:
    LogPrinter(std::optional<Process> process, int level, bool growing)
        : process_(process), level_(level), growing_(growing) {}

    void print(const job::LogEntry& entry) {
        const Process process{entry.role, entry.processId};
        if (process_ && process != *process_) return;
        unfinished_.erase(process);
        if (entry.unfinished)
            unfinished_.emplace(process, entry);
        else if (entry.level >= level_)
            printLine(outputLine(entry));
    }

    /// All that has come is printed. False: nobody takes it, see `problem`.
    bool flush() {
        if (growing_ && !unfinished_.empty() && level_ <= 1) {
            erase();
            put(outputLine(unfinished_.begin()->second));
            shown_ = true;
        }
        if (std::fflush(stdout) != 0) note(errno);
        return problem_ == 0;
    }
    /// The first error of standard output; 0: none.
    [[nodiscard]] int problem() const { return problem_; }

    /// Likewise, with what is unfinished.
    bool finish() {
        erase();
        for (const auto& [process, entry] : unfinished_)
            if (entry.level >= level_) printLine(outputLine(entry));
        unfinished_.clear();
        return flush();
    }

private:
    void printLine(const std::string& line) {
        erase();
        put(line + "\n");
    }
    void erase() {
        if (std::exchange(shown_, false)) put("\r\033[K");
    }
    void put(const std::string& text) {
        if (std::fputs(text.c_str(), stdout) < 0) note(errno);
    }
    void note(int error) {
        if (problem_ == 0) problem_ = error;
    }

    std::optional<Process> process_;
    int level_;
    bool growing_;
    bool shown_ = false;
    int problem_ = 0;
    std::map<Process, job::LogEntry> unfinished_;
};

Result<std::optional<Process>> processNamed(const std::string& name) {
    if (name.empty()) return std::nullopt;
    constexpr std::string_view kFurther = "evaluator-";  // from 1 on
    if (name == "evaluator") return Process{job::Role::Evaluator, 0};
    const bool evaluates = name.starts_with(kFurther);
    const std::string_view digits = std::string_view(name).substr(evaluates ? kFurther.size() : 0);
    int id = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), id);
    if (problem == std::errc() && end == digits.data() + digits.size() && id >= 0)
        return Process{evaluates ? job::Role::Evaluator : job::Role::Worker, id};
    return fail(ErrorCode::BadInput, "--process: " + name + " is no process",
                "Give a process id, as 0, or evaluator, or evaluator-1 for the second.");
}

int levelNamed(const std::string& name) {
    return name == "error" ? 3 : name == "warning" ? 2 : name == "info" ? 1 : 0;
}

int printLogs(job::Session& session, LogPrinter& printer, bool follow) {
    const Nanos began = SteadyClock::read();
    bool saidWhy = false;
    for (;;) {
        const auto view = session.view();
        session.discardSamples();
        for (const job::LogEntry& entry : session.takeLogs())
            printer.print(entry);
        if (!printer.flush()) return report(outputFailure(printer.problem()));
        const bool ended = view->exitStatus >= 0 && view->caughtUp;
        if (ended || (!follow && view->caughtUp)) break;
        const Nanos waited = SteadyClock::read() - began;
        if (!view->caughtUp && waited > kConnectTimeout)
            return report({ErrorCode::Unavailable,
                           "the run cannot be reached: " + view->connectionSentence,
                           "What its processes wrote lies in " + (view->runDir / "logs").string() +
                               ", a file for each of them."});
        if (!view->caughtUp && waited > kSilenceBeforeItIsSaid && !std::exchange(saidWhy, true))
            std::fprintf(stderr, "%s\n", view->connectionSentence.c_str());
        std::this_thread::sleep_for(kInterval);
    }
    return printer.finish() ? 0 : report(outputFailure(printer.problem()));
}

int logs(const LogsArguments& arguments) {
    const auto process = processNamed(arguments.process);
    if (!process) return report(process.error());
    const auto session = attachToRun(arguments.run);
    if (!session) return session.error();
    LogPrinter printer(*process, levelNamed(arguments.level),
                       arguments.follow && ::isatty(STDOUT_FILENO) != 0);
    return printLogs(**session, printer, arguments.follow);
}

}  // namespace

Command addLogsCommand(CommandLine& program) {
    auto arguments = std::make_shared<LogsArguments>();
    ArgumentList command =
        program.addCommand("logs", "print what the processes of a run wrote, as it came");
    command.add("run", arguments->run, "the run's folder, or its id").required();
    command.addFlag("--follow", arguments->follow, "go on until the run ends");
    command.add("--process", arguments->process, "of this process alone, or evaluator");
    command.add("--level", arguments->level, "from this level on")
        .oneOf({"debug", "info", "warning", "error"})
        .showingDefault();
    return [arguments] { return logs(*arguments); };
}

}  // namespace lockstep::app
