// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/coordination/health/cause_election.h"
#include "core/coordination/health/evaluation_watch.h"
#include "core/coordination/health/link_probes.h"
#include "core/coordination/health/liveness.h"
#include "core/coordination/health/own_gaps.h"
#include "core/coordination/health/progress_watch.h"
#include "core/coordination/health/stack_requests.h"
#include "core/coordination/health/stragglers.h"
#include "core/coordination/health/stuck_policy.h"
#include "core/coordination/health/telemetry_watch.h"
#include "core/coordination/health/thread_answers.h"
#include "core/coordination/health/verdict.h"
#include "core/coordination/state/job_state.h"
#include "core/coordination/state/membership.h"
#include "core/coordination/state/outbox.h"

namespace lockstep::coordination {

/// What the coordinator sees of the processes: their signs of life and how far they are. It says
/// who is silent, stuck or slow, and testifies of those who fail; but not of times for which it
/// did not run itself.
class Witness {
public:
    Witness(const JobState& job, const Membership& members, Outbox& outbox);

    /// Only agents are still watched. Called while the former generation's members are known.
    void beginGeneration(Nanos now);
    /// To be called whenever the coordinator runs: gives the time for which it did not, which is
    /// nobody's silence; 0 for jitter.
    [[nodiscard]] Nanos noteTurn(Instant at);

    /// Expects signs of life of a process that has registered, and of a worker's replicas steps.
    void watch(const ProcessKey& process, Nanos now) { liveness_.watch(process, now); }
    void watchSteps(const Member& worker);
    /// A sign of life.
    void heard(const ProcessKey& process, Nanos now) { liveness_.heard(process, now); }
    /// What a record of the member tells of its progress.
    void note(const Member& member, const wire::Record& record, Nanos now);
    /// What its threads answer, when it was asked for their stacks.
    void noteThreads(const Member& member, const wire::ThreadsAnswer& answer);
    /// What keeps a process from running, or that nothing does any more.
    void noteHold(const ProcessKey& process, wire::Hold hold) { holds_[process] = hold; }
    [[nodiscard]] wire::Hold holdOf(const ProcessKey& process) const;
    /// What the heartbeats of an evaluator are about from now on: the test data, or checkpoints.
    void setTesting(const ProcessKey& evaluator, bool isTesting) {
        evaluations_.setTesting(evaluator.id, isTesting);
    }
    /// The process is no more: neither its silence nor its pace says anything.
    void forget(const ProcessKey& process);

    /// Whose liveness has changed since the last call.
    [[nodiscard]] std::vector<LivenessChange> advance(Nanos now);
    /// Those of a role whose heartbeats are overdue, but not for so long that they are lost.
    [[nodiscard]] std::vector<LivenessChange> late(wire::Role role, Nanos now) const;
    /// Journals who holds up the job, when that is news. `training`: nobody has left yet.
    void judgeProgress(bool training, Instant at);
    /// Why the generation ends now: it has been stuck for longer than the job allows. Once.
    [[nodiscard]] std::optional<Evidence> stuckTooLong(Nanos now);
    /// Somebody would rather wait for a job that is stuck.
    void waitLonger(Nanos now) { std::ignore = stuck_.postpone(now); }
    /// Who has been slow, in all generations so far.
    [[nodiscard]] StragglerTally stragglers() const { return stragglers_.tally(); }

    /// The newest step that any replica has completed, in all generations so far.
    [[nodiscard]] std::uint64_t trainedTo() const { return trainedTo_; }

    /// The newest checkpoint that this generation has written; 0: none.
    [[nodiscard]] std::uint64_t committed() const { return committed_; }

    /// The failure of a process, with all that is known of it.
    [[nodiscard]] wire::Failure failureOf(const ProcessKey& process, std::string cause,
                                          Nanos now) const;
    /// The evidence itself, or that the coordinator did not run where that explains it.
    [[nodiscard]] Evidence examine(Evidence cause, Nanos now) const;

private:
    void askForStacks(const std::optional<Finding>& finding, Nanos now);
    /// Whether its log will have them.
    bool askForStacks(const ProcessKey& process, Seconds stuckFor);
    void askForLinks(const std::optional<Finding>& finding, Nanos now);
    void tellLongEvaluations(Instant at);
    void tellOfTelemetry(Instant at);
    void notify(const ProcessKey& process, std::string sentence, Instant at);
    [[nodiscard]] std::string nameOfMember(const ProcessKey& process) const;
    [[nodiscard]] std::optional<Finding> chiefCannotLeave() const;
    void noteEvaluator(std::uint32_t evaluator, const wire::Record& record);
    [[nodiscard]] std::optional<Finding> lateFinding(Nanos now) const;
    [[nodiscard]] std::optional<NearEnd> nearEnd(Instant at) const;

    const JobState& job_;
    const Membership& members_;
    Outbox& outbox_;
    OwnGaps gaps_;
    LivenessTable liveness_;
    std::map<ProcessKey, wire::Hold> holds_;  // as their agents see it
    ProgressWatch progress_;
    Stragglers stragglers_;
    VerdictBoard verdicts_;
    StuckPolicy stuck_;
    StackRequests stacks_;
    ThreadAnswers threads_;
    LinkProbes links_;
    std::set<std::uint32_t> haveTold_;  // workers whose logs have their stacks
    EvaluationWatch evaluations_;
    TelemetryWatch telemetry_;
    std::optional<Finding> standing_;  // what is stuck now
    std::uint64_t trainedTo_ = 0;
    std::uint64_t committed_ = 0;
};

}  // namespace lockstep::coordination
