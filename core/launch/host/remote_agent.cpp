// SPDX-License-Identifier: Apache-2.0
// What a launcher hears of the agents of its run, and how it has one ended by force.
#include <fmt/format.h>

#include <tuple>

#include "core/launch/host/remote_run.h"
#include "core/run/agent_process.h"

namespace lockstep::launch {

namespace {

constexpr std::chrono::seconds kKillTimeout{10};
constexpr std::chrono::seconds kKillPause{1};  ///< After a refusal.

ExitStatus statusOf(const wire::AgentEnded& end) {
    return {end.signalled(), end.status()};
}

/// As behind "its agent".
std::string wordsOf(const wire::AgentEnded& end) {
    if (end.unknown()) return "has ended";
    if (end.stopped_seconds() > 0)
        return fmt::format("was stopped, by SIGSTOP or a debugger, and killed after {:.0f} s",
                           end.stopped_seconds());
    return statusOf(end).words();
}

}  // namespace

void RemoteRun::noteAgentEnd(std::size_t link, const wire::AgentEnded& end) {
    if (link < agentRuns_.size()) agentRuns_[link] = false;
    if (link != 0) {
        if (end.signalled()) noteLostAgent(link, end);
        return;
    }
    settleDeadline_ = SteadyClock::read() + kAgentsSettle;
    change([&](State& state) {
        state.agentsWords.clear();
        state.agentEnd = wordsOf(end);
        state.agentKilled = end.signalled();
        state.agentCrashed = statusOf(end).hasCrashed();
        state.forced = state.forced || end.forced();
    });
}

/// One that ends in order ends with the run; a run needs its workers, and nobody else starts them.
void RemoteRun::noteLostAgent(std::size_t link, const wire::AgentEnded& end) {
    const auto* order = std::get_if<RemoteOrder>(&what_);
    if (order == nullptr || link >= order->plan.size() || order->plan[link].processes.empty())
        return;
    if (settleDeadline_ != Nanos{} || state().phase == Phase::Ended) return;
    noteLostHost(link, {ErrorCode::PeerLost, "its agent " + wordsOf(end), ""},
                 statusOf(end).hasCrashed());
}

void RemoteRun::noteLostHost(std::size_t link, const Error& error, bool isOwnFault) {
    if (!tied()) return;
    const HostPlan& plan = std::get<RemoteOrder>(what_).plan[link];
    change([&](State& state) {
        if (state.lostHost) return;
        state.lostHost = {error, plan.host, plan.firstProcess()};
        state.lostHost->isOwnFault = isOwnFault;
    });
}

/// The others' agents are missed by the coordinator, which says so.
void RemoteRun::noteStop(std::size_t link, const wire::AgentStopped& stop) {
    if (link != 0) return;
    const run::AgentProcess agent{static_cast<pid_t>(stop.pid()), true};
    change([&](State& state) {
        state.agentsWords = stop.going_on() ? ""
                                            : place_.host + ": " + run::stoppedSentence(agent) +
                                                  ". " + run::stoppedRemedy(agent);
    });
    // Who could not be let in by it is, now.
    if (stop.going_on() && state().phase == Phase::Broken) nextAttempt_ = SteadyClock::read();
}

void RemoteRun::killIfWanted() {
    const State state = this->state();
    const bool isOver = state.forced || state.phase == Phase::Ended || state.phase == Phase::Failed;
    if (isOver || !hasLink() || SteadyClock::read() < nextKill_) return;
    if (!killWanted_.exchange(false)) return;
    wire::ToHost request;
    request.mutable_kill_agent()->set_run_dir(place_.runDir);
    request.mutable_kill_agent()->set_run_id(place_.runId);
    auto killed = links_->ask(0, std::move(request), kKillTimeout);
    nextKill_ = SteadyClock::read() + kKillPause;
    if (!killed) return say(killed.error().message);
    change([](State& now) { now.forced = true; });
    // Nobody tells the end of an agent whose run was not reached.
    if (state.phase == Phase::Broken) std::ignore = attach();
}

}  // namespace lockstep::launch
