// SPDX-License-Identifier: Apache-2.0
// lockstepctl drill: makes a fault on purpose in a running job, and measures what becomes of it.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <thread>

#include "app/ctl/attached_run.h"
#include "app/ctl/commands.h"
#include "app/terminal/error_output.h"
#include "core/base/clock.h"
#include "core/base/exit_status.h"
#include "core/base/ids.h"
#include "core/base/plural.h"
#include "core/config/document/job_file.h"
#include "core/job/fold/session.h"
#include "core/text/json.h"

namespace lockstep::app {

namespace {

using Phase = job::DrillView::Phase;

/// For a run on another host: the login, its questions.
constexpr std::chrono::seconds kReachPatience{120};
constexpr std::chrono::seconds kAskAgain{2};
constexpr std::chrono::seconds kAnswerPatience{20};

struct DrillArguments {
    std::string run;
    std::string kind;
    int process = 0;
    double seconds = 0;
    double timeout = 600;
    bool yes = false;
    bool asJson = false;
};

text::Json secondsBetween(double from, double to) {
    return from > 0 && to > 0 ? text::Json(std::max(0.0, to - from)) : text::Json();
}

bool isLanded(const job::DrillView& drill) {
    return drill.landedWallTime > 0;
}

/// What is at stake, to be read before it is done.
std::string policyOf(const job::RunView& view) {
    const auto job = config::JobDocument::lenient(view.jobToml, "job.toml").spec();
    const int left = std::max(job.launch.restarts() - view.generation, 0);
    if (left == 0)
        return "Where this ends a process, the run ends with it: launch.max_restarts leaves no "
               "restart.";
    return fmt::format(
        "Where this ends a process, the run begins again at its newest {}: "
        "launch.max_restarts leaves {}.",
        job.launch.keepsSteps() ? "step" : "checkpoint", counted(left, "restart"));
}

/// 0: it may be done; else the status to end with.
int askFor(const DrillArguments& arguments, const job::DrillOrder& order,
           const job::RunView& view) {
    if (arguments.yes) return kExitDone;
    if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0)
        return report({ErrorCode::BadInput,
                       "a drill harms a running job, and nobody is here to agree to it",
                       "Run it on a terminal, or with --yes."});
    std::fprintf(stderr, "A drill in %s: %s.\n%s\nType yes to do it: ", view.runDir.c_str(),
                 job::effectOf(order).c_str(), policyOf(view).c_str());
    std::string answer;
    if (std::getline(std::cin, answer) && answer == "yes") return kExitDone;
    std::fprintf(stderr, "nothing was done\n");
    return kExitStopped;
}

/// Asks for the drill and follows what becomes of it.
class Drilling {
public:
    Drilling(job::Session& session, DrillArguments arguments, job::DrillOrder order)
        : session_(session), arguments_(std::move(arguments)), order_(std::move(order)) {}

    int run() {
        if (const int status = reach(); status >= 0) return status;
        if (const int status = askFor(arguments_, order_, *session_.view()); status != kExitDone)
            return status;
        began_ = SteadyClock::read();
        for (;;) {
            const auto view = session_.view();
            const job::DrillView* drill = find(*view);
            if (drill != nullptr) tell(*drill);
            if (drill != nullptr && isOver(*drill)) return conclude(*drill);
            const bool runIsOver = view->exitStatus >= 0;
            if (runIsOver && drill == nullptr) return notTaken("the run ended first");
            if (runIsOver) return conclude(*drill);
            const Nanos waited = SteadyClock::read() - began_;
            if (drill == nullptr && waited > kAnswerPatience)
                return notTaken(
                    fmt::format("the run does not answer ({})", view->connectionSentence));
            if (waited > toNanos(arguments_.timeout + order_.seconds))
                return drill != nullptr ? late(*drill) : notTaken("the run has not taken it yet");
            if (drill == nullptr && SteadyClock::read() >= nextAsk_) ask();
            rest();
        }
    }

private:
    /// -1: it can be asked.
    int reach() {
        const Nanos start = SteadyClock::read();
        for (;;) {
            const auto view = session_.view();
            if (view->exitStatus >= 0 && view->caughtUp) return notTaken("the run is over");
            if (view->connected && view->caughtUp) return -1;
            if (SteadyClock::read() - start > kReachPatience)
                return notTaken(fmt::format("the run was not reached within {:.0f} s ({})",
                                            Seconds(kReachPatience).count(),
                                            view->connectionSentence));
            rest();
        }
    }

    void ask() {
        session_.drill(order_);
        nextAsk_ = SteadyClock::read() + kAskAgain;
    }

    void rest() {
        session_.discardSamples();
        (void)session_.takeLogs();
        std::this_thread::sleep_for(Millis(20));
    }

    [[nodiscard]] const job::DrillView* find(const job::RunView& view) const {
        const auto found = std::ranges::find(
            view.drills, order_.id, [](const job::DrillView& one) { return one.order.id; });
        return found == view.drills.end() ? nullptr : &*found;
    }

    [[nodiscard]] static bool isOver(const job::DrillView& drill) {
        return drill.phase == Phase::Refused || drill.phase == Phase::Recovered ||
               drill.phase == Phase::Over;
    }

    /// What has become known since the last look.
    void tell(const job::DrillView& drill) {
        if (arguments_.asJson) return;
        if (isLanded(drill) && !std::exchange(toldLanded_, true))
            std::printf("landed after %.1f s, at step %lld: %s\n",
                        drill.landedWallTime - drill.orderedWallTime,
                        static_cast<long long>(drill.landedStep),
                        drill.phase == Phase::Landed ? drill.sentence.c_str()
                                                     : job::effectOf(drill.order).c_str());
        if (drill.detectedWallTime > 0 && !std::exchange(toldDetected_, true))
            std::printf("detected after %.1f s: %s (%s process, %s)\n",
                        drill.detectedWallTime - drill.landedWallTime,
                        drill.detectedSentence.c_str(),
                        drill.namedProcess ? "the right" : "not the right",
                        drill.namedKind ? "named for what it is" : "not for what it is");
        std::fflush(stdout);
    }

    /// Of the landing.
    int conclude(const job::DrillView& drill) {
        if (drill.phase == Phase::Refused) return notTaken(drill.sentence);
        const bool counts = isLanded(drill);
        if (arguments_.asJson) {
            std::printf("%s\n", jsonOf(drill).text(2).c_str());
        } else if (drill.recoveredWallTime > 0) {
            std::printf("recovered after %.1f s: trains on at step %lld; %s lost\n",
                        drill.recoveredWallTime - drill.landedWallTime,
                        static_cast<long long>(drill.recoveredStep),
                        counted(drill.stepsLost, "step").c_str());
        } else if (counts) {
            std::printf("not recovered: %s\n", drill.sentence.c_str());
        }
        const int written = finishOutput();
        if (counts) return written;
        std::fprintf(stderr, "error: the drill counts for nothing: %s\n", drill.sentence.c_str());
        return kExitFailed;
    }

    [[nodiscard]] static text::Json jsonOf(const job::DrillView& drill) {
        return text::Json::object(
            {{"kind", job::wordOf(drill.order.kind)},
             {"process_id", drill.order.processId},
             {"seconds", drill.order.seconds},
             {"counted", isLanded(drill)},
             {"landed_after_seconds", secondsBetween(drill.orderedWallTime, drill.landedWallTime)},
             {"landed_step", drill.landedStep},
             {"detected_after_seconds",
              secondsBetween(drill.landedWallTime, drill.detectedWallTime)},
             {"detected", drill.detectedSentence},
             {"named_process", drill.namedProcess},
             {"named_kind", drill.namedKind},
             {"recovered_after_seconds",
              secondsBetween(drill.landedWallTime, drill.recoveredWallTime)},
             {"recovered_step", drill.recoveredStep},
             {"steps_lost", drill.stepsLost},
             {"outcome", drill.sentence}});
    }

    int notTaken(const std::string& why) {
        return report({ErrorCode::Unavailable, fmt::format("no drill was done: {}", why), ""});
    }

    int late(const job::DrillView& drill) {
        return report(
            {ErrorCode::Timeout,
             fmt::format("after {:.0f} s it is not over: {}", arguments_.timeout, drill.sentence),
             "The run goes on, and its records tell the rest: see the summary's drills."});
    }

    job::Session& session_;
    const DrillArguments arguments_;
    const job::DrillOrder order_;
    Nanos began_{};
    Nanos nextAsk_{};
    bool toldLanded_ = false;
    bool toldDetected_ = false;
};

int drill(const DrillArguments& arguments) {
    job::DrillOrder order{.id = randomHex(16),
                          .kind = *job::drillKindOf(arguments.kind),
                          .processId = arguments.process,
                          .seconds = arguments.seconds};
    if (order.seconds > 0 && !job::hasLength(order.kind))
        return report({ErrorCode::BadInput,
                       fmt::format("--seconds: {} has no length", arguments.kind),
                       "Leave it out."});
    const auto session = attachToRun(arguments.run);
    if (!session) return session.error();
    return Drilling(**session, arguments, std::move(order)).run();
}

}  // namespace

Command addDrillCommand(CommandLine& program) {
    auto arguments = std::make_shared<DrillArguments>();
    ArgumentList command = program.addCommand(
        "drill", "make a fault in a running job on purpose, and measure what becomes of it");
    command.add("run", arguments->run, "the run's folder, or its id").required();
    command.add("kind", arguments->kind, "the fault").required().oneOf(job::drillWords());
    command.add("--process", arguments->process, "in which process; by default the chief, 0")
        .notNegative();
    command
        .add("--seconds", arguments->seconds,
             "how long it lasts (stop, stuck, slow; disk-full, which needs it); by default until "
             "the run ends it")
        .notNegative();
    command.add("--timeout", arguments->timeout, "how many seconds to wait for what becomes of it")
        .notNegative()
        .showingDefault();
    command.addFlag("--yes", arguments->yes, "do not ask");
    command.addFlag("--json", arguments->asJson, "as JSON, once it is over");
    return [arguments] { return drill(*arguments); };
}

}  // namespace lockstep::app
