// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "core/coordination/core/barrier_table.h"
#include "core/coordination/core/cause_election.h"
#include "core/coordination/core/counters.h"
#include "core/coordination/core/job_rules.h"
#include "core/coordination/core/key_value_store.h"
#include "core/coordination/core/liveness.h"
#include "core/coordination/core/membership.h"
#include "core/coordination/core/outcome.h"
#include "core/coordination/core/progress_watch.h"
#include "core/coordination/core/verdict.h"
#include "core/telemetry/journal.h"

namespace lockstep::coordination {

/// Where a message came from: the connection answers it, the user is who the authenticator says.
struct Peer {
    std::string connection;
    std::string user;
};

struct SendAction {
    std::string connection;
    wire::FromCoordinator message;
};
struct AppendAction {
    std::string record;  ///< A serialised wire::Record.
    telemetry::RecordWorth worth = telemetry::RecordWorth::Event;
};
struct FinishAction {
    Outcome outcome;
};
/// What the caller has to do, in order.
using Action = std::variant<SendAction, AppendAction, FinishAction>;

/// The coordinator as a pure state machine: messages, process exits and the time go in, actions
/// come out. No threads, no clock, no sockets; the same inputs give the same actions.
///
/// A generation is first registering (a barrier of all workers), then running, then ended with
/// exactly one outcome: completed or stopped when the chief has left in order and the others have
/// followed, failed when a cause was elected. Lost incarnations are fenced: whatever they still
/// send is counted and answered with the reason, and has no other effect.
class CoordinatorCore {
public:
    CoordinatorCore(JobRules rules, Instant at);

    void receive(const Peer& peer, const wire::ToCoordinator& message, Instant at);
    /// A message to this connection could not be delivered: it is no more.
    void connectionGone(const std::string& connection) { members_.forgetConnection(connection); }
    /// A process has ended, as the agent that is its parent saw it.
    void processExited(const wire::ProcessExit& exit, std::uint32_t generation, Instant at);
    /// A record of the hosting agent.
    void appendRecord(const wire::Record& record, Instant at);
    void requestStop(Instant at);
    void requestKill(Instant at);
    void beginGeneration(std::uint32_t generation, Instant at);
    void endRun(const wire::RunEnd& end, Instant at);
    /// Deadlines. Called a few times per heartbeat interval.
    void tick(Instant at);

    [[nodiscard]] std::vector<Action> takeActions();
    [[nodiscard]] Counters& counters() { return counters_; }
    [[nodiscard]] std::uint32_t generation() const { return generation_; }

private:
    enum class Stage : std::uint8_t { Registering, Running, Ended };

    // Messages (coordinator_core.cpp).
    [[nodiscard]] std::optional<std::string> refusal(const wire::ToCoordinator& message,
                                                     const std::optional<ProcessKey>& sender) const;
    [[nodiscard]] Member* speaker(const Peer& peer, const ProcessKey& key,
                                  const wire::ToCoordinator& message);
    void registerMember(const Peer& peer, const ProcessKey& key, const wire::ToCoordinator& message,
                        Instant at);
    void greet(Member& member, Instant at);
    void welcomeWorkers(Instant at);
    void announceReplicas(const Member& member, Instant at);
    void dispatch(Member& member, const wire::ToCoordinator& message, Instant at);
    void setKey(const wire::KeyValueSet& set, Instant at);
    void getKey(const Member& member, const wire::KeyValueGet& get, Instant at);
    void enterBarrier(const Member& member, const wire::BarrierEnter& enter, Instant at);
    void takeRecords(Member& member, const wire::Records& records, Instant at);
    void noteOwnGap(Instant at);
    void noteLife(const Member& member, const wire::Record& record, Instant at);
    void noteProgress(const Member& member, const wire::Record& record, Instant at);
    void takeExitFromAgent(const Member& agent, const wire::ProcessExit& exit,
                           std::uint32_t generation, Instant at);
    void takeError(const Member& member, const wire::ReportError& report, Instant at);

    // Delivery (core_delivery.cpp).
    [[nodiscard]] bool isNext(Member& member, std::uint64_t sequence);
    void confirm(Member& member);
    void confirmAll(Instant at);

    // The end of things (core_endings.cpp).
    void memberLeaves(Member& member, const wire::Leave& leave, Instant at);
    void workerExited(const wire::ProcessExit& exit, Instant at);
    void setEvaluatorGone(bool gone);
    void evaluatorFailed(const std::string& cause, Instant at);
    void noteSilence(const std::vector<LivenessChange>& changes, Instant at);
    void loseWorkers(const std::vector<LivenessChange>& lost, Instant at);
    void checkRegistration(Instant at);
    void tellMissing(Instant at);
    void checkFollowUps(Instant at);
    void checkDrained(Instant at);
    void repeatStop(Instant at);
    void tellAgents(const wire::FromCoordinator& message);
    void judgeProgress(Instant at);
    [[nodiscard]] std::optional<Finding> lateFinding(Instant at) const;
    [[nodiscard]] Outcome chiefsOutcome() const;
    void elect(Evidence evidence, Instant at);
    void failGeneration(Evidence cause, Instant at);
    [[nodiscard]] bool isGapFresh(Instant at) const;
    [[nodiscard]] bool isOwnGapsDoing(const Evidence& cause, Instant at) const;
    [[nodiscard]] Evidence ownGapEvidence(Instant at) const;
    void finish(Outcome outcome);
    [[nodiscard]] wire::Failure failureOf(const ProcessKey& key, std::string cause,
                                          Instant at) const;
    [[nodiscard]] bool draining() const { return drainDeadline_.has_value(); }

    // Actions.
    void send(const std::string& connection, wire::FromCoordinator message);
    void sendTo(const Member& member, wire::FromCoordinator message);
    void sendAbort(const std::string& connection, std::int32_t culprit, const std::string& cause);
    void answerGets(const std::vector<RequestAnswer>& answers);
    void answerBarriers(const std::vector<RequestAnswer>& answers);
    void append(wire::Record record, Instant at);
    void setState(wire::RunState state, std::string sentence, Instant at);
    void log(const ProcessKey& about, std::uint32_t level, std::string text, Instant at);

    const JobRules rules_;
    std::uint32_t generation_ = 0;
    Stage stage_ = Stage::Registering;
    Membership members_;
    LivenessTable liveness_;
    KeyValueStore store_;
    BarrierTable barriers_;
    CauseElection election_;
    ProgressWatch progress_;
    VerdictBoard verdicts_;
    Counters counters_;
    std::vector<Action> actions_;
    std::set<ProcessKey> unconfirmed_;  // have been sent no confirmation of the newest message
    Nanos lastConfirmation_{};

    wire::Welcome welcome_;
    std::optional<Nanos> registrationDeadline_;  // set until all workers are there
    Nanos registrationBegan_{};
    std::vector<int> toldMissing_;  // by the newest state, as the next one
    Nanos toldMissingAt_{};
    std::optional<Nanos> drainDeadline_;  // set once the chief has left
    std::optional<Nanos> stopRepeat_;     // set once a stop was asked for
    Nanos lastInput_{};
    Nanos ownGap_{};              // the newest time for which the coordinator itself did not run,
    Nanos ownGapEnd_{};           // and when it was over
    bool evaluatorGone_ = false;  // it has ended without having registered
    std::optional<wire::RunEnd> runEnd_;  // once it has ended
    wire::Leave chiefsLeave_;
    std::int32_t culprit_ = -1;
    std::string endCause_;  // of this generation, for those who still ask
};

}  // namespace lockstep::coordination
