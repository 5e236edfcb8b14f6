// SPDX-License-Identifier: Apache-2.0
// lockstepctl attach, stop, runs and export: what one does with runs that are there.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <thread>

#include "app/ctl/commands.h"
#include "app/ctl/follow.h"
#include "app/ctl/run_folders.h"
#include "app/error_output.h"
#include "core/base/clock.h"
#include "core/base/file.h"
#include "core/job/session.h"
#include "core/launch/run_folder.h"
#include "core/launch/ssh/terminal_asker.h"
#include "core/telemetry/csv_export.h"

namespace lockstep::app {

namespace {

constexpr std::chrono::seconds kStopTimeout{120};
constexpr std::chrono::seconds kConnectTimeout{10};

Result<std::unique_ptr<job::Session>> attachTo(const std::string& name) {
    auto folder = findRun(name);
    if (!folder) return fail(folder.error());
    return job::attach(*folder, {launch::terminalAsker()});
}

int attach(const std::string& name) {
    auto session = attachTo(name);
    return session ? followToTheEnd(**session, OnInterrupt::LeaveRun, "") : report(session.error());
}

/// For a run whose socket or key is gone: its agent stops the run when it is told to end.
int stopBySignal(const launch::RunPaths& paths) {
    if (!launch::signalAgent(paths, SIGTERM))
        return report({ErrorCode::Timeout,
                       paths.folder.string() + ": its agent cannot be reached from this machine",
                       "Run the command on the machine that the agent runs on."});
    const Nanos deadline = SteadyClock::read() + kStopTimeout;
    while (launch::isLocked(paths)) {
        if (SteadyClock::read() > deadline)
            return report({ErrorCode::Timeout, paths.folder.string() + " has not stopped yet", ""});
        std::this_thread::sleep_for(Millis(50));
    }
    std::printf("%s: stopped\n", paths.folder.c_str());
    return 0;
}

/// Asks the run to stop and waits for its end.
int stop(const std::string& name, bool kill) {
    auto session = attachTo(name);
    if (!session) return report(session.error());
    const Nanos start = SteadyClock::read();
    bool asked = false;
    for (;;) {
        const auto view = (*session)->view();
        if (view->exitStatus >= 0 && view->caughtUp) {
            // A lost connection looks like an end; who still holds the folder has not ended.
            if (!asked && launch::isLocked({view->runDir})) return stopBySignal({view->runDir});
            std::printf("%s: %s\n", view->runDir.c_str(), view->sentence.c_str());
            return 0;
        }
        const Nanos waited = SteadyClock::read() - start;
        if (!asked && (view->connected || !view->queueSentence.empty())) {
            kill ? (*session)->kill() : (*session)->requestStop();
            asked = true;
        }
        if (!asked && waited > kConnectTimeout) return stopBySignal({view->runDir});
        if (waited > kStopTimeout)
            return report({ErrorCode::Timeout, view->runDir.string() + " has not stopped yet",
                           "End it now with `lockstepctl stop --kill`."});
        (void)(*session)->takeSteps();
        (void)(*session)->takeHeartbeats();
        (void)(*session)->takeLogs();
        std::this_thread::sleep_for(Millis(50));
    }
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

int listRuns(const std::string& folder, bool asJson) {
    const auto runs = job::listRuns(folder);
    if (asJson) {
        auto list = nlohmann::json::array();
        for (const job::RunEntry& run : runs)
            list.push_back({{"run_dir", run.runDir.string()},
                            {"run_id", run.runId},
                            {"name", run.name},
                            {"status", run.status},
                            {"running", run.running},
                            {"started", run.startedWallTime},
                            {"test_accuracy", run.testAccuracy ? nlohmann::json(*run.testAccuracy)
                                                               : nlohmann::json(nullptr)}});
        std::printf("%s\n", list.dump(2).c_str());
        return 0;
    }
    if (runs.empty()) {
        std::printf("no runs below %s\n", folder.c_str());
        return 0;
    }
    std::printf("%-20s  %-12s  %-9s  %s\n", "started (UTC)", "status", "test acc.", "run folder");
    for (const job::RunEntry& run : runs)
        std::printf("%-20s  %-12s  %-9s  %s\n", utcTime(run.startedWallTime).c_str(),
                    run.status.c_str(),
                    run.testAccuracy ? fmt::format("{:.4f}", *run.testAccuracy).c_str() : "-",
                    run.runDir.c_str());
    return 0;
}

int exportRun(const std::string& name) {
    auto folder = findRun(name);
    if (!folder) return report(folder.error());
    const auto write = [](std::string_view text) -> Result<void> {
        if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return {};
        return fail(ErrorCode::Io, "cannot write to standard output: " + errnoText());
    };
    auto exported = telemetry::exportCsv(*folder / "journal", write);
    if (exported && std::fflush(stdout) != 0)
        exported = fail(ErrorCode::Io, "cannot write to standard output: " + errnoText());
    return exported ? 0 : report(exported.error());
}

}  // namespace

Command addAttachCommand(CLI::App& program) {
    auto name = std::make_shared<std::string>();
    CLI::App* command =
        program.add_subcommand("attach", "follow a running job, or show an ended one");
    command->add_option("run", *name, "the run's folder, or its id")->required();
    return [name] { return attach(*name); };
}

Command addStopCommand(CLI::App& program) {
    auto name = std::make_shared<std::string>();
    auto kill = std::make_shared<bool>(false);
    CLI::App* command =
        program.add_subcommand("stop", "stop a running job after its step, with a checkpoint");
    command->add_option("run", *name, "the run's folder, or its id")->required();
    command->add_flag("--kill", *kill, "end it now, without a checkpoint");
    return [name, kill] { return stop(*name, *kill); };
}

Command addRunsCommand(CLI::App& program) {
    auto folder = std::make_shared<std::string>("runs");
    auto asJson = std::make_shared<bool>(false);
    CLI::App* command =
        program.add_subcommand("runs", "list the runs of a folder, the newest first");
    command->add_option("folder", *folder, "where they lie")->capture_default_str();
    command->add_flag("--json", *asJson, "as JSON");
    return [folder, asJson] { return listRuns(*folder, *asJson); };
}

Command addExportCommand(CLI::App& program) {
    auto name = std::make_shared<std::string>();
    auto format = std::make_shared<std::string>();
    CLI::App* command =
        program.add_subcommand("export", "write every number of a run to standard output");
    command->add_option("run", *name, "the run's folder, or its id")->required();
    command->add_option("--format", *format, "csv")->required()->check(CLI::IsMember({"csv"}));
    // CLI11 writes into *format while it parses: it must live as long as the command.
    return [name, format] { return exportRun(*name); };
}

}  // namespace lockstep::app
