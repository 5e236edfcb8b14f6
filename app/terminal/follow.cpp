// SPDX-License-Identifier: Apache-2.0
#include "app/terminal/follow.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <optional>
#include <thread>
#include <utility>

#include "app/terminal/error_output.h"
#include "app/terminal/progress_printer.h"
#include "app/terminal/summary_text.h"
#include "core/base/file.h"

namespace lockstep::app {

namespace {

constexpr Millis kInterval{100};

std::atomic<int> interrupts{0};

/// A scheduler says SIGTERM several times, to the process and through its own programs: that is
/// one wish. Whoever presses Ctrl-C again means it.
void countInterrupt(int signal) {
    int none = 0;
    if (signal == SIGTERM)
        interrupts.compare_exchange_strong(none, 1);
    else
        interrupts.fetch_add(1);
}

/// An end that is read while history is replayed may be that of a former start of the same run.
bool hasEnded(const job::RunView& view) {
    return view.exitStatus >= 0 && view.caughtUp;
}

/// What the terminal does not show is taken all the same: the session holds back otherwise.
/// `outputSince`: what processes printed since then (seconds since 1970) is shown; never, if none.
void takeSamples(job::Session& session, ProgressPrinter& printer,
                 std::optional<double> outputSince = {}) {
    session.discardSamples();
    constexpr int kWarning = 2;
    for (const job::LogEntry& entry : session.takeLogs()) {
        if (entry.role == job::Role::Agent && entry.processId == 0 && entry.level == kWarning)
            printer.warn(entry.text);  // the session's own words
        else if (outputSince && entry.role == job::Role::Worker && entry.wallTime >= *outputSince)
            printer.showOutput(entry);
    }
}

bool isOwnProgram(const job::RunView& view, const FollowOptions& options) {
    return options.programOutput || view.backend == "program";
}

/// False when this terminal shall let go of the run.
bool heedInterrupts(job::Session& session, OnInterrupt onInterrupt, int& heeded) {
    const int count = interrupts.load();
    if (count == heeded) return true;
    if (onInterrupt == OnInterrupt::LeaveRun || heeded >= 2) return false;
    if (count == 1) {
        std::fprintf(stderr,
                     "\nstopping after this step, with a checkpoint; again to end it now\n");
        session.requestStop();
    } else {
        session.kill();
    }
    heeded = count;
    return true;
}

/// Why this terminal leaves a run that goes on, or does not answer.
int letGo(const job::RunView& view, OnInterrupt onInterrupt) {
    if (onInterrupt == OnInterrupt::LeaveRun) {
        std::fprintf(stderr, "the run goes on; end it with: lockstepctl stop %s\n",
                     view.runDir.c_str());
        return 0;
    }
    printError("the run's agent does not answer",
               "See " + (view.runDir / "processes.json").string() +
                   " for what may still run, and its agent.log for why.");
    return 1;
}

int conclude(const job::RunView& view) {
    if (!view.error.empty()) printError(view.error, view.remedy);
    return view.exitStatus;
}

}  // namespace

int followToTheEnd(job::Session& session, const FollowOptions& options) {
    std::signal(SIGINT, countInterrupt);
    std::signal(SIGTERM, countInterrupt);
    ProgressPrinter printer;
    int heeded = 0;
    bool placeSaid = options.onInterrupt == OnInterrupt::LeaveRun;  // who attaches has named it
    double since = wallSeconds();  // history is not printed again: `lockstepctl logs` does that
    const auto take = [&](const job::RunView& now) {
        takeSamples(session, printer,
                    isOwnProgram(now, options) ? std::optional(since) : std::nullopt);
        if (now.caughtUp) since = 0;  // what comes from here on is new, whatever its host's clock
    };
    auto view = session.view();
    for (; !hasEnded(*view); view = session.view()) {
        take(*view);
        if (view->connected && !std::exchange(placeSaid, true))
            printer.print("run folder " + view->runDir.string());
        if (!heedInterrupts(session, options.onInterrupt, heeded)) {
            printer.finish();
            return letGo(*view, options.onInterrupt);
        }
        printer.show(*view);
        std::this_thread::sleep_for(kInterval);
    }
    take(*view);
    printer.show(*view);
    printer.finish();
    if (view->exitStatus != 2) std::fputs(summaryText(*view).c_str(), stdout);
    int status = conclude(*view);
    if (!options.jsonFile.empty() && !view->summaryJson.empty() && view->exitStatus != 2) {
        if (auto written = replaceFileDurably(options.jsonFile, view->summaryJson); !written) {
            const int failed = report(written.error());
            if (status == 0) status = failed;
        }
    }
    return status;
}

int followUntilTraining(job::Session& session) {
    ProgressPrinter printer;
    auto view = session.view();
    // While history is replayed the state is that of a former start.
    for (; !hasEnded(*view) && view->queueSentence.empty() &&
           (!view->caughtUp || view->state == job::RunState::Launching);
         view = session.view()) {
        takeSamples(session, printer);
        printer.show(*view);
        std::this_thread::sleep_for(kInterval);
    }
    printer.finish();
    if (hasEnded(*view)) {  // a short job is over before anybody has seen it train
        if (view->exitStatus != 2) std::fputs(summaryText(*view).c_str(), stdout);
        return conclude(*view);
    }
    if (!view->queueSentence.empty()) std::printf("%s\n", view->queueSentence.c_str());
    std::printf("%s in %s\nfollow it with: lockstepctl attach %s\n",
                view->queueSentence.empty() ? "running" : "it will run", view->runDir.c_str(),
                view->runDir.c_str());
    return 0;
}

}  // namespace lockstep::app
