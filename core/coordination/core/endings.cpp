// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/core/endings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/coordination/state/sentences.h"

namespace lockstep::coordination {

namespace {

constexpr Nanos kStopRepeat = 2s;
constexpr const char* kStoppedOnRequest = "it was stopped on request";

Outcome stoppedOutcome() {
    Outcome outcome;
    outcome.kind = OutcomeKind::Stopped;
    outcome.stopRequested = true;
    return outcome;
}

/// Of another start: what only silence or a broken connection tells may be the network's.
bool saysNothingOfTheNext(const Evidence& cause) {
    return cause.fromOutside || cause.bySilence || cause.weight == EvidenceWeight::FollowUp;
}

bool isAwaited(const Member* member) {
    return member == nullptr || member->state == MemberState::Present;
}

}  // namespace

Endings::Endings(JobState& job, const Membership& members, const Witness& witness,
                 RequestDesk& desk, ScoringDesk& scoring, const Drills& drills, EndNotices& notices,
                 Outbox& outbox)
    : job_(job),
      members_(members),
      witness_(witness),
      desk_(desk),
      scoring_(scoring),
      drills_(drills),
      notices_(notices),
      outbox_(outbox),
      drain_(job.rules().drainTimeout) {}

void Endings::beginGeneration() {
    drain_ = Drain(job_.rules().drainTimeout);
    stopRepeat_.reset();
    isWanted_ = false;
    goneEvaluators_.clear();
}

void Endings::requestStop(StopAsker asker, Instant at) {
    if (job_.ended()) return;
    isWanted_ |= asker == StopAsker::User;
    if (stopRequested()) return;
    stopRepeat_ = at.now;
    outbox_.journalState(wire::RUN_STATE_STOPPING,
                         draining()
                             ? "training has ended; what is not scored yet is waited for no longer"
                             : "stopping after the step in flight",
                         at);
    repeatStop(at);
    if (job_.registering()) finish(stoppedOutcome(), kStoppedOnRequest);
}

void Endings::toldToEnd(const Member& member, Instant at) {
    if (job_.ended() || stopRequested()) return;
    wire::Record record;
    wire::Notice& notice = *record.mutable_notice();
    notice.set_process_id(member.key.id);
    notice.set_role(member.key.role);
    notice.set_sentence(
        fmt::format("{} was told to end (SIGTERM): {}", nameOf(member.key, member.facts.host()),
                    draining() ? "the job ends without the scores that are missing"
                    : job_.rules().runsOwnProgram ? "the job stops in order"
                                                  : "the job stops with a checkpoint"));
    outbox_.journal(std::move(record), at);
    requestStop(StopAsker::User, at);
}

void Endings::repeatStop(Instant at) {
    if (job_.ended() || !stopRepeat_ || at.now < *stopRepeat_) return;
    stopRepeat_ = at.now + kStopRepeat;
    wire::FromCoordinator message;
    message.mutable_stop()->set_reason("a stop was asked for");
    for (const Member* worker : members_.present(wire::ROLE_WORKER))
        outbox_.send(*worker, message);
}

void Endings::requestKill(StopAsker asker, Instant at) {
    if (job_.ended()) return;
    isWanted_ |= asker == StopAsker::User;
    outbox_.journalState(wire::RUN_STATE_STOPPING, "ending all processes", at);
    notices_.tell(JobState::kNobody, "the run was ended on request", at.now);
    // In a drain only the evaluator is cut short: the result stands.
    finish(draining() ? drain_.outcome() : stoppedOutcome(), "it was ended on request");
}

void Endings::drain(const wire::Leave& chiefs, Nanos now) {
    drain_.begin(chiefs, now);
    scoring_.endTraining();
    desk_.publish(kRunEndedKey, chiefs.status());
}

void Endings::evaluatorCame(const ProcessKey& evaluator) {
    goneEvaluators_.erase(evaluator);
    scoring_.reopen();
}

void Endings::evaluatorGone(const ProcessKey& evaluator, const std::string& why, Instant at) {
    if (!goneEvaluators_.insert(evaluator).second) return;
    scoring_.lose(evaluator, at);
    if (goneEvaluators_.size() >= job_.rules().evaluators)
        scoring_.close(fmt::format("{} {}", nameOf(evaluator), why), at);
    else
        prolongDrain(at.now);  // another one is to take over what it had
}

/// Those that are waited for: all that have not gone, come or not.
std::vector<ProcessKey> Endings::workingEvaluators() const {
    std::vector<ProcessKey> working;
    for (std::uint32_t id = 0; id < job_.rules().evaluators; ++id) {
        const ProcessKey key{wire::ROLE_EVALUATOR, id};
        if (!goneEvaluators_.contains(key) && isAwaited(members_.find(key))) working.push_back(key);
    }
    return working;
}

/// A slow evaluation is waited for as long as any may take, but not by who asked for a stop.
bool Endings::drainIsOver(bool evaluatorsWork, Nanos now) const {
    const bool waits = evaluatorsWork && !stopRequested() &&
                       drain_.outcome().kind == OutcomeKind::Completed &&
                       scoring_.isScoring(now - job_.rules().progress.evaluate);
    return drain_.expired(now) && !waits;
}

/// Whoever has work is late; one that waits for the end of the others' is not.
void Endings::nameLateEvaluators(std::vector<ProcessKey> late, Instant at) {
    const auto works = [this](const ProcessKey& key) { return scoring_.hasWork(key); };
    if (std::ranges::any_of(late, works))
        std::erase_if(late, [&works](const ProcessKey& key) { return !works(key); });
    const std::string what = fmt::format("did not finish within {} after the end of training",
                                         secondsText(drain_.lasted(at.now)));
    for (const ProcessKey& key : late) {
        outbox_.log(
            key, LogLevel::Warning,
            fmt::format("{} {}: scores of the last checkpoints are missing", nameOf(key), what),
            at);
        outbox_.journalFailure(witness_.failureOf(key, what, at.now), at);
    }
}

void Endings::checkDrained(Instant at) {
    if (!job_.running() || !draining()) return;
    const std::vector<ProcessKey> evaluators = workingEvaluators();
    const std::vector<const Member*> present = members_.present(wire::ROLE_WORKER);
    if ((!evaluators.empty() || !present.empty()) && !drainIsOver(!evaluators.empty(), at.now))
        return;
    const std::string timeout = secondsText(job_.rules().drainTimeout);
    for (const Member* worker : present)
        outbox_.log(worker->key, LogLevel::Warning,
                    fmt::format("{} did not leave within {}", nameOf(worker->key), timeout), at);
    nameLateEvaluators(evaluators, at);
    Outcome outcome = drain_.outcome();
    const bool stopped = outcome.kind == OutcomeKind::Stopped;
    finish(std::move(outcome), stopped ? kStoppedOnRequest : "it is complete");
}

void Endings::tick(Instant at) {
    checkDrained(at);
    repeatStop(at);
}

void Endings::fail(const Evidence& cause, Instant at) {
    wire::Failure failure = cause.failure;
    const bool isDrill = drills_.explains(failure);
    if (isDrill) failure.set_cause(failure.cause() + " (in a drill)");
    if (isDrill) failure.clear_suspect_checkpoint();
    failure.set_trained_to(std::max(witness_.trainedTo(), failure.step()));
    failure.set_from_outside(isDrill || saysNothingOfTheNext(cause));
    const ProcessKey failed{failure.role(), failure.process_id()};
    const std::string sentence =
        fmt::format("{}: {}", nameOf(failed, failure.host()), failure.cause());
    const std::int32_t culprit =
        failed.role == wire::ROLE_AGENT ? JobState::kNobody : static_cast<std::int32_t>(failed.id);
    outbox_.journalFailure(failure, at);
    wire::Record verdict;
    verdict.mutable_verdict()->set_sentence(sentence);
    verdict.mutable_verdict()->set_severity(kSeverityLost);
    if (culprit != JobState::kNobody)
        verdict.mutable_verdict()->add_processes(failure.process_id());
    outbox_.journal(std::move(verdict), at);
    notices_.tell(culprit, sentence, at.now);
    desk_.abort(sentence);
    Outcome outcome;
    outcome.kind =
        cause.kind == wire::ERROR_BAD_INPUT ? OutcomeKind::BadInput : OutcomeKind::Failed;
    outcome.failure = failure;
    if (!isDrill) outcome.remedy = cause.remedy;  // it guesses why; that is known
    if (!outcome.remedy.empty() && !cause.whereToLook.empty()) outcome.remedy += '\n';
    outcome.remedy += cause.whereToLook;
    outcome.stopRequested = stopRequested();
    outcome.isFinal = cause.isFinal;
    finish(std::move(outcome), sentence, culprit);
}

void Endings::finish(Outcome outcome, const std::string& cause, std::int32_t culprit) {
    job_.end(cause, culprit);
    outcome.isWanted = isWanted_;
    outcome.agents = static_cast<std::uint32_t>(std::ranges::count_if(
        members_.all(), [](const auto& entry) { return entry.first.role == wire::ROLE_AGENT; }));
    outcome.scoring = scoring_.tally();
    outcome.drills = drills_.tally();
    outcome.stragglers = witness_.stragglers();
    outbox_.finish(std::move(outcome));
}

void Endings::endRun(const wire::RunEnd& end, Instant at) {
    if (job_.runEnd()) return;
    scoring_.close("the run ended first", at);
    const std::string& status = end.status();
    job_.end(status);
    const wire::RunState state = status == "completed" ? wire::RUN_STATE_COMPLETED
                                 : status == "stopped" ? wire::RUN_STATE_STOPPED
                                                       : wire::RUN_STATE_FAILED;
    outbox_.journalState(state, state == wire::RUN_STATE_FAILED ? job_.endCause() : status, at);
    wire::Record record;
    *record.mutable_run_end() = end;
    outbox_.journal(std::move(record), at);
    job_.endRun(end);
    wire::FromCoordinator over;
    *over.mutable_run_over() = end;
    for (const Member* agent : members_.present(wire::ROLE_AGENT))
        outbox_.send(*agent, over);
}

}  // namespace lockstep::coordination
