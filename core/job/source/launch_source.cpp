// SPDX-License-Identifier: Apache-2.0
#include "core/job/source/launch_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "core/base/exit_status.h"
#include "core/base/ids.h"
#include "core/base/process_state.h"
#include "core/base/text.h"
#include "core/config/document/job_file.h"
#include "core/coordination/health/exit_cause.h"
#include "core/coordination/state/sentences.h"
#include "core/run/agent_process.h"
#include "core/run/repeated_failure.h"

namespace lockstep::job {

namespace {
/// For it to remove what the run leaves nobody: whoever sees the end told looks at the folder then.
constexpr std::chrono::seconds kAgentsLastMoment{5};
constexpr std::chrono::seconds kLastOfTheLost{30};
constexpr Millis kLookAtAgent{250};
constexpr const char* kGoOn =
    "`--resume` goes on from its newest checkpoint; launch.max_restarts is how often a run does so "
    "by itself.";

/// Of the journal, where a run is resumed.
std::uint64_t formerSizeOf(const wire::AgentConfig& config) {
    if (config.from_scratch()) return 0;
    std::error_code absent;
    const auto bytes =
        std::filesystem::file_size(run::RunPaths{config.run_dir()}.journal(), absent);
    return absent ? 0 : bytes;
}

wire::Failure lostAgent(const std::string& words, bool hasCrashed) {
    wire::Failure lost;
    lost.set_role(wire::ROLE_AGENT);
    lost.set_cause(words);
    lost.set_from_outside(!hasCrashed);
    return lost;
}

/// Of an agent that has given up: that is its last line then.
std::string lastErrorIn(const std::filesystem::path& log) {
    constexpr std::streamoff kTail = 4096;
    constexpr std::string_view kError = "error: ";
    std::ifstream file(log, std::ios::binary | std::ios::ate);
    if (!file) return {};
    file.seekg(std::max<std::streamoff>(file.tellg() - kTail, 0));
    std::string last;
    for (std::string line; std::getline(file, line);)
        last = line;
    return last.starts_with(kError) ? sanitizeLine(last.substr(kError.size())) : "";
}
}  // namespace

LaunchSource::LaunchSource(wire::AgentConfig config)
    : config_(std::move(config)), ledger_(formerSizeOf(config_)) {
    status_.link.sentence = "starting the agent";
    if (const auto job = config::JobDocument::parse(config_.job_toml(), "job.toml")) {
        launch_ = job->spec().launch;
        heartbeatTimeout_ = toNanos(job->spec().cluster.heartbeatTimeoutSeconds);
    }
}

Result<std::optional<JournalSource::Piece>> LaunchSource::next(Nanos timeout) {
    if (!live_ && !status_.exhausted && mayLaunch(timeout)) launch();
    if (!live_) return std::nullopt;
    oomKills_.look(SteadyClock::read());
    auto piece = live_->next(timeout);
    if (piece && *piece) ledger_.take((*piece)->offset, (*piece)->frames);
    if (piece && live_->status().exhausted)
        lookAtEnd();
    else
        endStoppedAgent();
    return piece;
}

JournalSource::Status LaunchSource::status() const {
    Status status = live_ ? live_->status() : status_;
    if (!status.ending) status.ending = ending_;
    return status;
}

/// It hears nothing, and its processes have left it: as much is lost as with one that was killed.
void LaunchSource::endStoppedAgent() {
    const Nanos now = SteadyClock::read();
    if (killedAfter_ || now < nextLookAtAgent_) return;
    nextLookAtAgent_ = now + kLookAtAgent;
    const pid_t pid = agent_->process->pid();
    const bool isStopped = isStoppedState(processState(pid));
    const Nanos lasted = agentStopped_.note(isStopped, contextSwitches(pid), now);
    if (lasted <= heartbeatTimeout_) return;
    killedAfter_ = lasted;
    agent_->process->signalGroup(SIGKILL);
}

std::string LaunchSource::wordsOf(const launch::ExitStatus& lost, bool outOfMemory) const {
    if (outOfMemory) return "the run's agent " + lost.words() + coordination::kMemoryRanOut;
    const std::string why = lost.code == SIGABRT
                                ? lastErrorIn(run::RunPaths{config_.run_dir()}.logs() / "agent.log")
                                : "";
    if (!killedAfter_) return "the run's agent " + lost.words() + (why.empty() ? "" : ": " + why);
    return fmt::format("the run's agent was stopped, by SIGSTOP or a debugger, and killed after {}",
                       coordination::secondsText(*killedAfter_));
}

/// The agent has let go of its folder: it is ending, and nobody else will reap it.
void LaunchSource::lookAtEnd() {
    const auto ended = agent_->process->wait(kAgentsLastMoment);
    const run::RunPaths paths{config_.run_dir()};
    std::error_code error;
    if (!ended || !ended->signalled || std::filesystem::exists(paths.summary(), error)) return;
    const bool outOfMemory =
        ended->code == SIGKILL && !killedAfter_ && oomKills_.explainsOne(agent_->process->pid());
    const bool isToEnd = killedAfter_ && launch_.onStuck == config::OnStuck::Stop;
    if (run::wasEndedByForce(paths))
        ending_ = {kExitStopped, "the run was ended by force", kGoOn};
    else if (!stopRequested_ && !killRequested_ && !isToEnd && mayReplace())
        replace(*ended, outOfMemory);
    else
        ending_ = {kExitFailed, wordsOf(*ended, outOfMemory),
                   outOfMemory ? fmt::format("{}\n{}", coordination::kMemoryRemedy, kGoOn) : kGoOn};
}

/// Workers and agents count alike.
bool LaunchSource::mayReplace() const {
    return config_.failures_before_size() + ledger_.size() < launch_.restarts();
}

void LaunchSource::replace(const launch::ExitStatus& lost, bool outOfMemory) {
    auto failure = lostAgent(wordsOf(lost, outOfMemory), outOfMemory || lost.hasCrashed());
    if (repeatsItself(failure)) return;
    // Of what it has sent some never came to the disk: another one goes on behind what has.
    const auto journal = telemetry::checkJournal(run::RunPaths{config_.run_dir()}.journal());
    offset_ = journal ? journal->end : live_->offset();
    live_.reset();
    agent_.reset();
    agentStopped_ = {};
    killedAfter_.reset();
    noteLost(std::move(failure));
}

/// Whether another agent would only meet the same again.
bool LaunchSource::repeatsItself(wire::Failure& lost) {
    lost.set_trained_to(static_cast<std::uint64_t>(ledger_.trainedTo()));
    std::vector<wire::Failure> failures(config_.failures_before().begin(),
                                        config_.failures_before().end());
    std::ranges::copy(ledger_.failures(), std::back_inserter(failures));
    failures.push_back(lost);
    if (!run::repeatsItself(failures, launch_.runsOwnProgram())) return false;
    const int left = launch_.restarts() - static_cast<int>(failures.size()) + 1;
    ending_ = {kExitFailed, run::repetitionText(failures), run::repetitionRemedy("", left)};
    return true;
}

/// From now on another one is to be started.
void LaunchSource::noteLost(wire::Failure lost) {
    const std::string words = lost.cause();
    for (wire::Failure& failure : ledger_.takeFailures())
        *config_.add_failures_before() = std::move(failure);
    *config_.add_failures_before() = std::move(lost);
    isLost_ = true;
    config_.set_seconds_before(Seconds(SteadyClock::read() - began_).count());
    const run::RunPaths paths{config_.run_dir()};
    // One that is to begin from scratch may have been lost before it had put aside what was there.
    const bool isItsOwn = !config_.from_scratch() || run::readRunId(paths) == config_.run_id();
    config_.set_run_id(randomHex(6));
    std::error_code error;
    if (isItsOwn && std::filesystem::exists(paths.journal(), error)) {
        config_.set_resume(true);
        config_.clear_from_scratch();
        config_.clear_created_folder();
    }
    status_ = {};
    status_.link.sentence = words + ": another one is started";
    warning_ = status_.link.sentence;
    lostAt_ = SteadyClock::read();
}

/// It was lost before it spoke.
void LaunchSource::noteUnready(const std::string& words) {
    const std::string killed = launch::ExitStatus{true, SIGKILL}.words();
    auto lost = lostAgent(words, words.find(killed) == std::string::npos);
    if (!repeatsItself(lost)) return noteLost(std::move(lost));
    removeUnused();
    status_.exhausted = true;
    status_.link = {false, true, "not started"};
}

/// The processes of a lost agent end with it, but not at once: one in the midst of a write keeps
/// its locks and its GPU for so long.
bool LaunchSource::mayLaunch(Nanos timeout) {
    if (!isLost_) return true;
    if (stopRequested_ || killRequested_) {
        status_.exhausted = true;
        status_.link = {false, true, "stopped"};
        ending_ = {kExitStopped, "", ""};
        return false;
    }
    if (SteadyClock::read() - lostAt_ > kLastOfTheLost ||
        !run::hasProcessesHere(run::RunPaths{config_.run_dir()}))
        return true;
    std::this_thread::sleep_for(std::min<Nanos>(timeout, Millis(50)));
    return false;
}

void LaunchSource::launch() {
    auto agent = launch::launchLocalAgent(config_);
    if (!agent && agent.error().code == ErrorCode::PeerLost && mayReplace())
        return noteUnready(agent.error().message);
    if (!agent) {
        removeUnused();
        status_.exhausted = true;
        status_.link = {false, true, "not started"};
        status_.ending =
            Ending{exitStatusOf(agent.error().code), agent.error().message, agent.error().remedy};
        if (!isLost_) return;
        status_.ending->exitStatus = kExitFailed;
        status_.ending->error =
            fmt::format("{}, and no other one could be started: {}",
                        config_.failures_before().rbegin()->cause(), agent.error().message);
        return;
    }
    agent_.emplace(std::move(*agent));
    oomKills_.watch(agent_->process->pid());
    live_ = std::make_unique<LiveSource>(run::RunPaths{config_.run_dir()},
                                         run::Contact{.runId = config_.run_id(),
                                                      .endpoint = agent_->ready.monitor_endpoint(),
                                                      .keyFile = agent_->ready.monitor_key_file()},
                                         offset_, Nanos{0});
    if (stopRequested_) live_->requestStop();
    if (killRequested_) live_->kill();
}

/// The folder that was made for a run which never began; the agent may have removed it already.
void LaunchSource::removeUnused() const {
    const std::filesystem::path created = config_.created_folder();
    if (created.empty()) return;
    std::error_code notEmpty;  // then somebody else came to live there
    for (std::filesystem::path folder = config_.run_dir();
         folder.native().size() >= created.native().size(); folder = folder.parent_path())
        std::filesystem::remove(folder, notEmpty);
}

void LaunchSource::requestStop() {
    stopRequested_ = true;
    if (live_) live_->requestStop();
}

void LaunchSource::waitLonger() {
    if (live_) live_->waitLonger();
}

void LaunchSource::drill(const DrillOrder& order) {
    if (live_) live_->drill(order);
}

void LaunchSource::kill() {
    killRequested_ = true;
    if (live_) live_->kill();
}

}  // namespace lockstep::job
