// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/coordination/core/departures.h"
#include "core/coordination/core/drills.h"
#include "core/coordination/core/end_notices.h"
#include "core/coordination/core/endings.h"
#include "core/coordination/core/record_intake.h"
#include "core/coordination/core/registration.h"
#include "core/coordination/exchange/delivery.h"
#include "core/coordination/exchange/message_gate.h"
#include "core/coordination/exchange/request_desk.h"
#include "core/coordination/exchange/scoring_desk.h"
#include "core/coordination/exchange/steps_desk.h"
#include "core/coordination/health/witness.h"
#include "core/coordination/state/counters.h"
#include "core/coordination/state/job_rules.h"
#include "core/coordination/state/job_state.h"
#include "core/coordination/state/membership.h"
#include "core/coordination/state/outbox.h"
#include "core/telemetry/journalled_steps.h"

namespace lockstep::coordination {

/// The coordinator as a pure state machine: messages, process exits, the time and what the journal
/// has taken go in, actions come out. No threads, no clock, no sockets; the same inputs give the
/// same actions.
///
/// A generation is first registering (a barrier of all workers), then running, then ended with
/// exactly one outcome. Lost incarnations are fenced: whatever they still send is counted and
/// answered with the reason, and has no other effect.
///
/// Each part has one concern and its own state; this class says which of them hears what, and in
/// which order.
class CoordinatorCore {
public:
    CoordinatorCore(JobRules rules, Instant at);
    CoordinatorCore(const CoordinatorCore&) = delete;
    CoordinatorCore& operator=(const CoordinatorCore&) = delete;

    void receive(const Peer& peer, const wire::ToCoordinator& message, Instant at);
    /// A message to this connection could not be delivered: it is no more.
    void connectionGone(const std::string& connection) { members_.forgetConnection(connection); }
    /// A process has ended, as the agent that is its parent saw it.
    void processExited(const wire::ProcessExit& exit, std::uint32_t generation, Instant at);
    /// What keeps a process from running, as the agent that is its parent sees it.
    void processHeld(const wire::ProcessHeld& held, std::uint32_t generation, Instant at);
    /// A record of the hosting agent.
    void appendRecord(const wire::Record& record, Instant at) { outbox_.journal(record, at); }
    void requestStop(Instant at, StopAsker asker = StopAsker::User) {
        endings_.requestStop(asker, at);
    }
    void requestKill(Instant at, StopAsker asker = StopAsker::User) {
        killRequested_ = true;
        endings_.requestKill(asker, at);
    }
    [[nodiscard]] bool killRequested() const { return killRequested_; }
    /// Gives a job that is stuck another grace time.
    void waitLonger(Instant at) { witness_.waitLonger(at.now); }
    /// Makes a fault on purpose.
    void drill(const wire::DrillRequest& request, Instant at) {
        drills_.request(request, endings_.draining() || endings_.stopRequested(), at);
    }
    void beginGeneration(std::uint32_t generation, Instant at);
    void endRun(const wire::RunEnd& end, Instant at);
    /// Deadlines. Called a few times per heartbeat interval.
    void tick(Instant at);

    /// What is to be done next. Call it until there is no more: what was done may lead to more.
    [[nodiscard]] std::vector<Action> takeActions();
    /// Whether the journal has taken a record, or had no room for it: to be called for each.
    void settle(const AppendAction& append, bool isJournalled);
    [[nodiscard]] Counters& counters() { return outbox_.counters(); }
    [[nodiscard]] std::uint32_t generation() const { return job_.generation(); }
    [[nodiscard]] CopyTally copies() const { return intake_.copies(); }
    /// So many processes do not know yet why their generation is over (EndNotices).
    [[nodiscard]] std::size_t untold() const { return notices_.awaited(); }

private:
    void dispatch(Member& member, const wire::ToCoordinator& message, Instant at);
    void takeExit(const wire::ProcessExit& exit, std::uint32_t generation, Instant at);
    void takeHold(const wire::ProcessHeld& held, std::uint32_t generation);
    [[nodiscard]] bool mayTellOf(const Member& sender, const ProcessKey& process) const;
    void noteTurn(Instant at);

    bool killRequested_ = false;
    bool hasStepNews_ = false;  ///< The journal has more steps than StepsDesk has looked at.
    // A part knows those above it.
    JobState job_;
    Membership members_;
    Outbox outbox_;
    telemetry::JournalledSteps journalled_;  ///< Of all generations.
    MessageGate gate_;
    Delivery delivery_;
    RequestDesk desk_;
    ScoringDesk scoring_;
    StepsDesk steps_;
    Witness witness_;
    Registration registration_;
    Drills drills_;
    EndNotices notices_;
    Endings endings_;
    Departures departures_;
    RecordIntake intake_;
};

}  // namespace lockstep::coordination
