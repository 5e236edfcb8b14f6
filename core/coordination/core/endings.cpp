// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/core/endings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/coordination/state/sentences.h"

namespace lockstep::coordination {

namespace {

constexpr Nanos kStopRepeat = 2s;
constexpr ProcessKey kEvaluator{wire::ROLE_EVALUATOR, 0};
constexpr const char* kStoppedOnRequest = "it was stopped on request";

Outcome stoppedOutcome() {
    Outcome outcome;
    outcome.kind = OutcomeKind::Stopped;
    outcome.stopRequested = true;
    return outcome;
}

bool isAwaited(const Member* member) {
    return member == nullptr || member->state == MemberState::Present;
}

}  // namespace

Endings::Endings(JobState& job, const Membership& members, const Witness& witness,
                 RequestDesk& desk, Outbox& outbox)
    : job_(job),
      members_(members),
      witness_(witness),
      desk_(desk),
      outbox_(outbox),
      drain_(job.rules().drainTimeout) {}

void Endings::beginGeneration() {
    drain_ = Drain(job_.rules().drainTimeout);
    stopRepeat_.reset();
    setEvaluatorGone(false);
}

void Endings::requestStop(Instant at) {
    if (job_.ended() || stopRequested() || draining()) return;
    stopRepeat_ = at.now;
    outbox_.journalState(wire::RUN_STATE_STOPPING, "stopping after the step in flight", at);
    repeatStop(at);
    if (job_.registering()) finish(stoppedOutcome(), kStoppedOnRequest);
}

void Endings::repeatStop(Instant at) {
    if (job_.ended() || !stopRepeat_ || at.now < *stopRepeat_) return;
    stopRepeat_ = at.now + kStopRepeat;
    wire::FromCoordinator message;
    message.mutable_stop()->set_reason("a stop was asked for");
    for (const Member* worker : members_.present(wire::ROLE_WORKER))
        outbox_.send(*worker, message);
}

void Endings::requestKill(Instant at) {
    if (job_.ended()) return;
    outbox_.journalState(wire::RUN_STATE_STOPPING, "ending all processes", at);
    for (const auto& [key, member] : members_.all())
        if (member.state == MemberState::Present)
            outbox_.abort(member.connection, JobState::kNobody, "the run was ended on request");
    // In a drain only the evaluator is cut short: the result stands.
    finish(draining() ? drain_.outcome() : stoppedOutcome(), "it was ended on request");
}

void Endings::drain(const wire::Leave& chiefs, Nanos now) {
    drain_.begin(chiefs, now);
    desk_.publish(kRunEndedKey, chiefs.status());
}

void Endings::setEvaluatorGone(bool gone) {
    evaluatorGone_ = gone;
    desk_.publish(kEvaluatorGoneKey, gone ? "1" : "0");
}

void Endings::checkDrained(Instant at) {
    if (!job_.running() || !draining()) return;
    const bool evaluatorWorks =
        job_.rules().evaluator && !evaluatorGone_ && isAwaited(members_.find(kEvaluator));
    const std::vector<const Member*> present = members_.present(wire::ROLE_WORKER);
    if ((evaluatorWorks || !present.empty()) && !drain_.expired(at.now)) return;
    const std::string timeout = secondsText(job_.rules().drainTimeout);
    for (const Member* worker : present)
        outbox_.log(worker->key, LogLevel::Warning,
                    fmt::format("{} did not leave within {}", nameOf(worker->key), timeout), at);
    if (evaluatorWorks) {
        const std::string what =
            fmt::format("did not finish within {} after the end of training", timeout);
        outbox_.log(kEvaluator, LogLevel::Warning,
                    fmt::format("{} {}: scores of the last checkpoints are missing",
                                nameOf(kEvaluator), what),
                    at);
        outbox_.journalFailure(witness_.failureOf(kEvaluator, what, at.now), at);
    }
    Outcome outcome = drain_.outcome();
    const bool stopped = outcome.kind == OutcomeKind::Stopped;
    finish(std::move(outcome), stopped ? kStoppedOnRequest : "it is complete");
}

void Endings::tick(Instant at) {
    checkDrained(at);
    repeatStop(at);
}

void Endings::fail(const Evidence& cause, Instant at) {
    const wire::Failure& failure = cause.failure;
    const ProcessKey failed = keyOf(failure.role(), failure.process_id());
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
    for (const auto& [key, member] : members_.all())
        if (member.state == MemberState::Present)
            outbox_.abort(member.connection, culprit, sentence);
    desk_.abort(sentence);
    Outcome outcome;
    outcome.kind =
        cause.kind == wire::ERROR_BAD_INPUT ? OutcomeKind::BadInput : OutcomeKind::Failed;
    outcome.failure = failure;
    outcome.remedy = cause.remedy;
    outcome.stopRequested = stopRequested();
    finish(std::move(outcome), sentence, culprit);
}

void Endings::finish(Outcome outcome, const std::string& cause, std::int32_t culprit) {
    job_.end(cause, culprit);
    outcome.agents = static_cast<std::uint32_t>(std::ranges::count_if(
        members_.all(), [](const auto& entry) { return entry.first.role == wire::ROLE_AGENT; }));
    outbox_.finish(std::move(outcome));
}

void Endings::endRun(const wire::RunEnd& end, Instant at) {
    if (job_.runEnd()) return;
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
