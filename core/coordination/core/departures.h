// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/coordination/core/endings.h"
#include "core/coordination/exchange/request_desk.h"
#include "core/coordination/health/cause_election.h"
#include "core/coordination/health/exit_cause.h"
#include "core/coordination/health/witness.h"
#include "core/coordination/state/job_state.h"
#include "core/coordination/state/membership.h"
#include "core/coordination/state/outbox.h"

namespace lockstep::coordination {

/// How single processes go: in order, by their end, with an error of their own, or silently. What
/// goes wrong with a worker is evidence, from which the cause of the generation's end is elected;
/// an evaluator's failure is journalled, and ends nothing.
class Departures {
public:
    Departures(const JobState& job, Membership& members, Witness& witness, RequestDesk& desk,
               Endings& endings, Outbox& outbox);

    void beginGeneration();

    void takeLeave(const Member& member, const wire::Leave& leave, Instant at);
    /// A process of `generation` has ended, as the agent that is its parent saw it.
    void takeExit(const wire::ProcessExit& exit, std::uint32_t generation, Instant at);
    /// The program of a job's launch.command has ended; its supervisor says so before it ends.
    void takeProgramEnd(const Member& member, wire::ProcessExit exit, Instant at);
    void takeError(const Member& member, const wire::ReportError& report, Instant at);
    /// Whoever was not heard for too long is lost.
    void noteSilence(Instant at);

    /// Something that may be the cause of the generation's end.
    void accuse(Evidence evidence, Instant at);
    /// What time brings: better evidence, or the certainty that none comes.
    void tick(Instant at);

private:
    void decide(Instant at);
    [[nodiscard]] Evidence evidenceOf(const ProcessKey& key, const ExitCause& cause,
                                      Instant at) const;
    /// The process of the replica to which `member` has lost its connection.
    [[nodiscard]] std::optional<wire::Failure> lostPeerOf(const Member& member,
                                                          std::uint32_t replica, Instant at) const;
    void workerExited(const ProcessKey& key, const ExitCause& cause, Instant at);
    void evaluatorFailed(const ProcessKey& key, const std::string& cause, Instant at);
    void tellLate(const LivenessChange& late, Instant at);
    void loseWorkers(const std::vector<LivenessChange>& lost, Instant at);
    void accuseLateWorker(Instant at);
    void forget(const ProcessKey& process);

    const JobState& job_;
    Membership& members_;
    Witness& witness_;
    RequestDesk& desk_;
    Endings& endings_;
    Outbox& outbox_;
    CauseElection election_;
    std::set<ProcessKey> late_;  ///< Or gone since.
    std::map<ProcessKey, Nanos> toldLate_;
};

}  // namespace lockstep::coordination
