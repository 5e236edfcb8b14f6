// SPDX-License-Identifier: Apache-2.0
// Another start of a tied launch that has lost one of its hosts.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>
#include <utility>

#include "core/base/exit_status.h"
#include "core/base/ids.h"
#include "core/base/try.h"
#include "core/config/document/job_file.h"
#include "core/job/source/remote_names.h"
#include "core/job/source/remote_source.h"
#include "core/launch/host/fewer_hosts.h"
#include "core/launch/host/lease.h"
#include "core/run/repeated_failure.h"

namespace lockstep::job {

namespace {

std::size_t processCount(const std::vector<launch::HostPlan>& plans) {
    std::size_t count = 0;
    for (const launch::HostPlan& plan : plans)
        count += plan.processes.size();
    return count;
}

}  // namespace

/// Only a run that has begun leaves something to go on from. Restarts count alike, whoever makes
/// them: this launcher for a host, or process 0's agent for a process.
bool RemoteSource::mayBeginAgain(const launch::RemoteRun::State& state) {
    const auto* order = this->order();
    if (order == nullptr || asked() || repetition_) return false;
    if (state.forced || state.connection == 0) return false;
    const int untrained = ledger_.endsUntrained() ? 1 : 0;
    return order->config.failures_before_size() + ledger_.size() - untrained < maxRestarts_;
}

/// What was lost while the run was not over. The end of what process 0's agent has left is read
/// first: finish().
std::optional<launch::RemoteFailure> RemoteSource::lossOf(const launch::RemoteRun::State& state) {
    if (state.agentKilled || !mayBeginAgain(state)) return std::nullopt;
    // Who was tied to the lost connection asks the run to stop.
    if (state.lostHost && (!end_ || end_->status() == "stopped")) return *state.lostHost;
    if (state.phase == Phase::Failed && !end_) return *state.failure;
    return std::nullopt;
}

/// As where two hosts do not reach each other, while both are reached here.
launch::RemoteFailure RemoteSource::lossOfOrphan() {
    const wire::Failure lost = ledger_.lostAgent().value_or(wire::Failure());
    const std::uint32_t process = lost.process_id();
    const auto plan = std::ranges::find_if(order()->plan, [&](const launch::HostPlan& one) {
        return std::ranges::count(one.processes, process) > 0;
    });
    return {{ErrorCode::PeerLost, "its agent and process 0's have lost each other", ""},
            plan == order()->plan.end() ? lost.host() : plan->host,
            process};
}

/// What is tied to the connections ends with them. False where another start would only meet the
/// same again: then this one is followed to its end.
bool RemoteSource::beginsAgain(const launch::RemoteFailure& loss,
                               const launch::RemoteRun::State& state) {
    launch::RemoteOrder& order = *this->order();
    ledger_.dropUntrained();  // process 0's agent knew the loss by a process's silence
    for (wire::Failure& failure : ledger_.takeFailures())
        *order.config.add_failures_before() = std::move(failure);
    wire::Failure& lost = *order.config.add_failures_before();
    lost.set_role(wire::ROLE_AGENT);
    lost.set_process_id(loss.process);
    lost.set_host(loss.host);
    lost.set_cause(nameOf(loss));
    lost.set_trained_to(static_cast<std::uint64_t>(ledger_.trainedTo()));
    lost.set_from_outside(!loss.isOwnFault);
    if (repeatsItself()) return false;
    if (!state.place->visible) order.resumedDir = state.place->runDir;
    client_.reset();
    if (look_) lookedAtSpares_ = false;  // what it has not told is asked for again
    look_.reset();
    ending_ = std::move(run_);
    isLossShown_ = false;
    order.config.set_resume(true);
    order.config.clear_created_folder();
    order.config.clear_from_scratch();
    formerCopy_.reset();  // what it has trained since is never given up
    earlier_ = {};
    end_.reset();
    restFailing_ = Nanos{};
    former_ = offset_;
    const Nanos lease =
        state.lostConnection ? launch::leaseWithinBounds(order.leaseSeconds) : Nanos{};
    const Nanos now = SteadyClock::read();
    const Nanos spareAfter = order.spares.empty() ? Nanos{} : this->spareAfter();
    next_.emplace(lost.cause(), now, lease, options_.patience, spareAfter);
    spareProblems_.clear();
    failedStarts_.clear();
    unreachedSince_ = {{loss.host, now}};
    warnings_.push_back(fmt::format("{}: the run begins again on all hosts, restart {} of {}",
                                    lost.cause(), order.config.failures_before_size(),
                                    maxRestarts_));
    return true;
}

/// To end what is tied to its connections takes seconds: what was said of the loss is shown before.
void RemoteSource::endLost(Nanos timeout) {
    if (std::exchange(isLossShown_, true)) return ending_.reset();
    std::this_thread::sleep_for(timeout);  // a pause: whoever asks shows what there is once in it
}

/// Whether another start would only meet the same again.
bool RemoteSource::repeatsItself() {
    const wire::AgentConfig& config = order()->config;
    const std::vector<wire::Failure> failures(config.failures_before().begin(),
                                              config.failures_before().end());
    const auto job = config::JobDocument::parse(config.job_toml(), "job.toml");
    if (!run::repeatsItself(failures, job && job->spec().launch.runsOwnProgram())) return false;
    const int left = maxRestarts_ - static_cast<int>(failures.size()) + 1;
    repetition_ =
        Ending{kExitFailed, run::repetitionText(failures), run::repetitionRemedy("", left)};
    return true;
}

void RemoteSource::awaitStart(Nanos timeout) {
    const Nanos now = SteadyClock::read();
    if (asked()) {
        status_.exhausted = true;
        status_.link = {false, true, "stopped"};
        status_.ending = Ending{kExitStopped, "", ""};
        return;
    }
    if (next_->isDue(now)) return start();
    status_.link = {false, false,
                    fmt::format("{}; the next start is due in {:.0f} s", next_->loss(),
                                std::ceil(Seconds(next_->left(now)).count()))};
    std::this_thread::sleep_for(std::min<Nanos>(timeout, Millis(50)));  // a stop may be asked for
}

void RemoteSource::start() {
    wire::AgentConfig& config = order()->config;
    config.set_seconds_before(Seconds(SteadyClock::read() - began_).count());
    config.set_run_id(randomHex(6));
    runIds_.push_back(config.run_id());
    // A start that fails behind the copy's host has told that host its id.
    if (order()->takeover) order()->takeover->runIds = runIds_;
    settled_ = false;
    reached_ = false;
    run_ = std::make_unique<launch::RemoteRun>(options_.what, options_.makeLinks);
}

/// A host that is rebooting, or whose run folder somebody has not let go of yet.
bool RemoteSource::triesAgain(const std::string& why) {
    if (!next_->triesAgain(SteadyClock::read())) return false;
    run_.reset();
    status_.link = {false, false, why};
    return true;
}

void RemoteSource::endWithoutStart(const launch::RemoteFailure& failure) {
    status_.exhausted = true;
    status_.link = {false, true, failure.error.message};
    std::string error =
        fmt::format("{}, and no other start was possible: {}", next_->loss(), nameOf(failure));
    if (!spareProblems_.empty()) error += "; " + spareProblems_;
    if (!fewerProblem_.empty())
        error +=
            fmt::format("; the run does not go on without {}: {}", failure.host, fewerProblem_);
    std::string remedy = "Continue the run with --resume once that is mended.";
    const bool isHomeLost = failure.host == order()->plan.front().host || order()->takeover;
    if (const auto& copy = ledger_.copy(); copy && isHomeLost)
        remedy += fmt::format(
            "\n{} has a copy up to step {}. There, `lockstepctl run {}/job.toml --processes {} "
            "--run-dir {} --resume` goes on with it.",
            copy->host(), copy->step(), copy->path(), processCount(order()->plan), copy->path());
    if (failure.isUnreached && order()->spares.empty())
        remedy += "\nlaunch.spares names hosts that take the place of one that does not come back.";
    if (failure.isUnreached && order()->plan.size() > 1 &&
        launch::couldAskForFewer(order()->config.job_toml()))
        remedy +=
            "\nlaunch.least_processes says how many processes are enough to go on without it.";
    status_.ending = Ending{kExitFailed, std::move(error), std::move(remedy)};
}

/// Of what the lost start has sent some never came to its disk: the next one goes on behind what
/// has. Of what did, some may never have come here: it is of that start all the same.
Result<void> RemoteSource::goOnFrom(std::uint64_t journalStart) {
    reached_ = true;
    const bool isRestart = next_.has_value();
    next_.reset();
    if (order() == nullptr || journalStart == 0) return {};  // come back to, or a run that is new
    former_ = journalStart;
    ledger_.beginAt(journalStart);
    offset_ = std::min(offset_, journalStart);
    if (!mirror_) return {};
    if (isRestart) return mirror_->cutBack(journalStart);
    // Whoever resumes may have lost what is here.
    const std::uint64_t had = mirror_->size();
    TRY(mirror_->cutAside(journalStart));
    if (had > mirror_->size())
        warnings_.push_back(
            fmt::format("the run's host has {} bytes less of its journal than this machine had of "
                        "it: they are kept beside the copy here, in journal.cut-N",
                        had - mirror_->size()));
    return {};
}

}  // namespace lockstep::job
