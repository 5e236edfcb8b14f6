// SPDX-License-Identifier: Apache-2.0
// lockstepctl drill: makes a fault on purpose in a running job, and measures what becomes of it.
#include <fmt/format.h>
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
#include "core/job/fold/drill_watch.h"
#include "core/text/json.h"

namespace lockstep::app {

namespace {

using State = job::DrillWatch::State;

/// For a run on another host: the login, its questions.
constexpr std::chrono::seconds kReachPatience{120};

struct DrillArguments {
    std::string run;
    std::string kind;
    int process = 0;
    double seconds = 0;
    double timeout = job::DrillWatch::kPatienceSeconds;
    bool yes = false;
    bool asJson = false;
};

text::Json secondsBetween(double from, double to) {
    return from > 0 && to > 0 ? text::Json(std::max(0.0, to - from)) : text::Json();
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
                 job::effectOf(order).c_str(), job::policyOf(order, view).c_str());
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
        job::DrillWatch watch(order_, SteadyClock::read(), arguments_.timeout);
        for (;;) {
            const auto view = session_.view();
            watch.look(*view, SteadyClock::read());
            const job::DrillView* drill = job::findDrill(*view, order_.id);
            if (drill != nullptr) tell(*drill);
            if (watch.state() == State::Over) return conclude(*drill);
            if (watch.state() == State::NotTaken) return notTaken(watch.sentence());
            if (watch.state() == State::Late) return late(watch.sentence());
            if (watch.takeAsk(SteadyClock::read())) session_.drill(order_);
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

    void rest() {
        session_.discardSamples();
        (void)session_.takeLogs();
        std::this_thread::sleep_for(Millis(20));
    }

    /// What has become known since the last look.
    void tell(const job::DrillView& drill) {
        if (arguments_.asJson) return;
        if (job::isLanded(drill) && !std::exchange(toldLanded_, true))
            std::printf("%s\n", job::landedLine(drill).c_str());
        if (drill.detectedWallTime > 0 && !std::exchange(toldDetected_, true))
            std::printf("%s\n", job::detectedLine(drill).c_str());
        std::fflush(stdout);
    }

    /// Of the landing.
    int conclude(const job::DrillView& drill) {
        const bool counts = job::isLanded(drill);
        const std::string outcome = job::outcomeLine(drill, true);
        if (arguments_.asJson)
            std::printf("%s\n", jsonOf(drill).text(2).c_str());
        else if (counts && !outcome.empty())
            std::printf("%s\n", outcome.c_str());
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
             {"counted", job::isLanded(drill)},
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

    int late(const std::string& sentence) {
        return report(
            {ErrorCode::Timeout, sentence,
             "The run goes on, and its records tell the rest: see the summary's drills."});
    }

    job::Session& session_;
    const DrillArguments arguments_;
    const job::DrillOrder order_;
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
