// SPDX-License-Identifier: Apache-2.0
// lockstepctl stop: in order, or by force where the run cannot hear it.
#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <thread>
#include <utility>

#include "app/ctl/attached_run.h"
#include "app/ctl/commands.h"
#include "app/ctl/run_folders.h"
#include "app/terminal/error_output.h"
#include "core/base/clock.h"
#include "core/job/fold/session.h"
#include "core/job/source/remote_record.h"
#include "core/run/agent_process.h"
#include "core/run/run_folder.h"

namespace lockstep::app {

namespace {

constexpr std::chrono::seconds kStopTimeout{120};
constexpr std::chrono::seconds kConnectTimeout{10};
/// Whoever traces an agent stops it for moments.
constexpr std::chrono::seconds kStoppedPatience{3};
/// For an agent that was there a moment ago, and is not found any more.
constexpr std::chrono::seconds kGonePatience{3};
/// For an agent that was told to end, before it is ended by force where that was asked for.
constexpr std::chrono::seconds kForcePatience{8};
/// For a run on another host: the login, its questions, the build's check.
constexpr std::chrono::seconds kLoginTimeout{120};

int notOfThisMachine(const run::RunPaths& paths) {
    return report({ErrorCode::Timeout,
                   paths.folder.string() + ": its agent cannot be reached from this machine",
                   "Run the command on the machine that the agent runs on."});
}

/// Whether nobody holds the run's folder any more, within `patience`.
bool isReleased(const run::RunPaths& paths, Nanos patience) {
    const Nanos deadline = SteadyClock::read() + patience;
    while (run::isLocked(paths)) {
        if (SteadyClock::read() > deadline) return false;
        std::this_thread::sleep_for(Millis(50));
    }
    return true;
}

/// As isReleased(), of an agent that is not found: one that never was on this machine is not about
/// to go.
bool isReleasedSoon(const run::RunPaths& paths) {
    return isReleased(paths, run::isOfOtherHosts(paths) ? Nanos(0) : kGonePatience);
}

int notStopped(const run::RunPaths& paths, const std::string& remedy) {
    return report({ErrorCode::Timeout, paths.folder.string() + " has not stopped yet", remedy});
}

/// The processes of a run end with its agent. One that is gone by now has let go of the folder, or
/// is about to: then nobody was killed.
int endByForce(const run::RunPaths& paths) {
    const bool isKilled = run::killAgent(paths);
    if (!(isKilled ? isReleased(paths, kForcePatience) : isReleasedSoon(paths)))
        return isKilled ? notStopped(paths, "") : notOfThisMachine(paths);
    std::printf("%s: %s\n", paths.folder.c_str(), isKilled ? "it was ended by force" : "stopped");
    return 0;
}

/// For a run whose socket or key is gone: its agent stops the run when it is told to end, and with
/// `kill` is ended where it does not.
int stopBySignal(const run::RunPaths& paths, bool kill) {
    const auto agent = run::agentProcess(paths);
    if (agent && agent->isStopped)
        return kill ? endByForce(paths)
                    : report({ErrorCode::Timeout,
                              paths.folder.string() + ": " + run::stoppedSentence(*agent),
                              run::stoppedRemedy(*agent)});
    if (!run::terminateAgent(paths) && !isReleasedSoon(paths)) return notOfThisMachine(paths);
    if (!isReleased(paths, kill ? kForcePatience : kStopTimeout))
        return kill ? endByForce(paths)
                    : notStopped(paths, "End it now with `lockstepctl stop --kill`.");
    std::printf("%s: stopped\n", paths.folder.c_str());
    return 0;
}

/// The run is followed by a login on another host, and not over as far as is known.
bool isServedElsewhere(const std::filesystem::path& runDir) {
    const auto record = job::readRemoteRecord(runDir);
    return record && !record->ended;
}

/// Asks a run to stop and waits for its end.
class Stopping {
public:
    Stopping(job::Session& session, const run::RunPaths& paths, bool kill)
        : session_(session), paths_(paths), kill_(kill) {}

    int run() {
        for (;;) {
            const auto view = session_.view();
            if (view->exitStatus >= 0 && view->caughtUp) return atEnd(*view);
            if (view->connected || !view->queueSentence.empty())
                ask();
            else if (kill_)
                force();
            if (!kill_ && staysStopped(*view)) return agentIsStopped(view->agentsWords);
            const Nanos waited = SteadyClock::read() - since_;
            if (!asked_ && waited > (elsewhere_ ? kLoginTimeout : kConnectTimeout))
                return unreachable(view->connectionSentence);
            if (waited > kForcePatience && mayForce()) return endByForce(paths_);
            if (waited > kStopTimeout)
                return notStopped(paths_,
                                  kill_ ? "" : "End it now with `lockstepctl stop --kill`.");
            if (elsewhere_ && !asked_) say(view->connectionSentence);
            session_.discardSamples();
            (void)session_.takeLogs();
            std::this_thread::sleep_for(Millis(50));
        }
    }

private:
    /// What cannot hear is ended by force, on this machine.
    [[nodiscard]] bool mayForce() const {
        return kill_ && (elsewhere_ ? run::agentProcess(paths_).has_value() : asked_);
    }

    /// Nobody has heard it; whoever follows the run may still see that its agent cannot, or have
    /// its host end it.
    void force() {
        if (std::exchange(forced_, true)) return;
        session_.kill();
    }

    void ask() {
        if (asked_) return;
        kill_ ? session_.kill() : session_.requestStop();
        asked_ = true;
        since_ = SteadyClock::read();
    }

    int atEnd(const job::RunView& view) {
        // A lost connection looks like an end; who still holds the folder has not ended.
        if (!asked_ && elsewhere_ && isServedElsewhere(paths_.folder))
            return unreachable(view.error.empty() ? view.sentence : view.error);
        if (!asked_ && !elsewhere_ && run::isLocked(paths_)) return stopBySignal(paths_, kill_);
        std::printf("%s: %s\n", paths_.folder.c_str(), view.sentence.c_str());
        return 0;
    }

    /// The run's agent, which hears nobody then.
    [[nodiscard]] bool staysStopped(const job::RunView& view) {
        const Nanos now = SteadyClock::read();
        if (view.agentsWords.empty()) stoppedSince_.reset();
        if (view.agentsWords.empty()) return false;
        if (!stoppedSince_) stoppedSince_ = now;
        return now - *stoppedSince_ > kStoppedPatience;
    }

    int agentIsStopped(const std::string& words) {
        if (!elsewhere_) return stopBySignal(paths_, kill_);
        return report(
            {ErrorCode::Timeout, paths_.folder.string() + " has not stopped: " + words,
             "`--kill` has its host kill the agent, and with it all processes of the run: "
             "without a checkpoint; `--resume` goes on from the newest one."});
    }

    /// Signals reach processes of this machine alone: those of another host are left as they are.
    int unreachable(const std::string& why) {
        if (!elsewhere_) return stopBySignal(paths_, kill_);
        return report({ErrorCode::Unavailable,
                       fmt::format("{} was not asked to stop, for its host is not reached: {}",
                                   paths_.folder.string(), why),
                       "The job may still run there. Try again once the host can be reached."});
    }

    void say(const std::string& sentence) {
        if (sentence.empty() || sentence == said_) return;
        said_ = sentence;
        std::fprintf(stderr, "%s\n", sentence.c_str());
    }

    job::Session& session_;
    const run::RunPaths paths_;
    const bool kill_;
    const bool elsewhere_ = isServedElsewhere(paths_.folder);
    bool forced_ = false;
    bool asked_ = false;
    Nanos since_ = SteadyClock::read();  ///< It was begun, or the run was asked.
    std::optional<Nanos> stoppedSince_;
    std::string said_;
};

/// An agent of this machine that cannot hear anybody, though its launcher is on another one.
bool isStoppedHere(const run::RunPaths& paths) {
    const auto agent = run::agentProcess(paths);
    return agent && agent->isStopped && isServedElsewhere(paths.folder);
}

int stop(const std::string& name, bool kill) {
    const auto folder = findRun(name);
    if (folder && isStoppedHere({*folder})) return stopBySignal({*folder}, kill);
    const auto session = attachToRun(name);
    if (!session) return session.error();
    return Stopping(**session, {(*session)->view()->runDir}, kill).run();
}

}  // namespace

Command addStopCommand(CommandLine& program) {
    auto name = std::make_shared<std::string>();
    auto kill = std::make_shared<bool>(false);
    ArgumentList command =
        program.addCommand("stop", "stop a running job after its step, with a checkpoint");
    command.add("run", *name, "the run's folder, or its id").required();
    command.addFlag("--kill", *kill, "end it now, without a checkpoint");
    return [name, kill] { return stop(*name, *kill); };
}

}  // namespace lockstep::app
