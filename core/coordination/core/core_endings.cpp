// SPDX-License-Identifier: Apache-2.0
// How processes, generations and the run end: the half of CoordinatorCore that is about losses.
#include <fmt/format.h>

#include <algorithm>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/coordination/core/coordinator_core.h"
#include "core/coordination/core/exit_cause.h"
#include "core/wire/codec.h"

namespace lockstep::coordination {

namespace {

constexpr Nanos kStopRepeat = 2s;
constexpr Nanos kMissingPause = 1s;    ///< Between two words on who is missing, at least,
constexpr Nanos kMissingRepeat = 10s;  ///< and at most.

std::string secondsText(Nanos duration) {
    return fmt::format("{:.3g} s", Seconds(duration).count());
}

std::string processesText(const std::vector<int>& ids) {
    return nounFor(ids.size(), "process") + " " + compressRanges(ids);
}

}  // namespace

void CoordinatorCore::tick(Instant at) {
    noteOwnGap(at);
    confirmAll(at);
    if (runEnd_) return;
    answerGets(store_.expire(at.now));
    answerBarriers(barriers_.expire(at.now));
    noteSilence(liveness_.advance(at.now), at);
    if (stage_ == Stage::Ended) return;
    checkRegistration(at);
    checkFollowUps(at);
    if (const auto cause = election_.decide(at.now)) failGeneration(*cause, at);
    checkDrained(at);
    repeatStop(at);
    judgeProgress(at);
}

void CoordinatorCore::checkRegistration(Instant at) {
    if (stage_ != Stage::Registering || !registrationDeadline_) return;
    if (at.now < *registrationDeadline_) return tellMissing(at);
    const std::vector<int> missing = members_.missingWorkers();
    const ProcessKey first{wire::ROLE_WORKER, static_cast<std::uint32_t>(missing.front())};
    const std::string within = secondsText(rules_.initializationTimeout);
    Evidence evidence;
    evidence.failure =
        failureOf(first,
                  missing.size() == 1 ? fmt::format("did not register within {}", within)
                                      : fmt::format("{} of {} did not register within {}",
                                                    processesText(missing), rules_.workers, within),
                  at);
    evidence.failure.set_detected_after_seconds(Seconds(rules_.initializationTimeout).count());
    evidence.remedy =
        "Look at their logs; check that they were started and can reach the coordinator's "
        "address.\n"
        "For slow starts raise cluster.initialization_timeout_seconds.";
    elect(std::move(evidence), at);
}

/// Who is still missing, from the first second on: whenever somebody has come, and now and then.
void CoordinatorCore::tellMissing(Instant at) {
    const std::vector<int> missing = members_.missingWorkers();
    const Nanos since = at.now - toldMissingAt_;
    const bool due = since >= kMissingRepeat || (missing != toldMissing_ && since >= kMissingPause);
    const bool first = toldMissingAt_ == registrationBegan_ && since >= kMissingPause;
    if (missing.empty() || !(due || first)) return;
    toldMissing_ = missing;
    toldMissingAt_ = at.now;
    const Seconds waited = at.now - registrationBegan_;
    setState(generation_ == 0 ? wire::RUN_STATE_LAUNCHING : wire::RUN_STATE_RESTARTING,
             fmt::format("waiting for {} of {} to register ({:.0f} s of {:.0f} s)",
                         processesText(missing), rules_.workers, waited.count(),
                         Seconds(rules_.initializationTimeout).count()),
             at);
}

/// Survivors tell at once that a connection broke; that of a process whose agent died with it is
/// told by its silence only. While there is no better evidence, whoever has become silent is it.
void CoordinatorCore::checkFollowUps(Instant at) {
    if (!election_.undecided() || stage_ != Stage::Running || draining()) return;
    for (const std::uint32_t id : members_.presentWorkers()) {
        const ProcessKey key{wire::ROLE_WORKER, id};
        if (liveness_.stateOf(key) != Liveness::Late) continue;
        Evidence evidence;
        evidence.bySilence = true;
        evidence.failure =
            failureOf(key,
                      fmt::format("is lost: the others' connections to it are closed, and it has "
                                  "sent no heartbeat for {}",
                                  secondsText(liveness_.silence(key, at.now))),
                      at);
        evidence.remedy = "Its host may be down, or it was killed together with its agent.";
        members_.fence(key);
        return elect(std::move(evidence), at);
    }
}

void CoordinatorCore::noteSilence(const std::vector<LivenessChange>& changes, Instant at) {
    std::vector<LivenessChange> lostWorkers;
    for (const LivenessChange& change : changes) {
        const ProcessKey& key = change.process;
        if (key.role == wire::ROLE_WORKER)
            progress_.setSilent(key.id, change.state != Liveness::Alive);
        if (change.state != Liveness::Lost) continue;
        const std::string cause = "sent no heartbeat for " + secondsText(change.silence);
        if (key.role == wire::ROLE_WORKER) {
            lostWorkers.push_back(change);
        } else if (key.role == wire::ROLE_EVALUATOR) {
            evaluatorFailed(cause, at);
        } else {
            members_.fence(key);
            log(key, 2, fmt::format("{} {}", nameOf(key), cause), at);
        }
    }
    if (!lostWorkers.empty()) loseWorkers(lostWorkers, at);
}

void CoordinatorCore::loseWorkers(const std::vector<LivenessChange>& lost, Instant at) {
    std::vector<int> others;
    for (const LivenessChange& change : lost) {
        if (&change != &lost.front()) others.push_back(static_cast<int>(change.process.id));
    }
    std::string cause = "sent no heartbeat for " + secondsText(lost.front().silence);
    if (!others.empty()) cause += fmt::format(", nor did {}", processesText(others));
    Evidence evidence;
    evidence.bySilence = true;
    evidence.failure = failureOf(lost.front().process, cause, at);
    evidence.remedy = "Its host may be down, cut off from the network, or stopped.";
    for (const LivenessChange& change : lost) {
        members_.fence(change.process);
        store_.forget(change.process);
        progress_.removeProcess(change.process.id);
    }
    if (stage_ == Stage::Ended) return;
    if (draining())
        return log(lost.front().process, 2, nameOf(lost.front().process) + " " + cause, at);
    elect(std::move(evidence), at);
}

void CoordinatorCore::takeError(const Member& member, const wire::ReportError& report, Instant at) {
    if (stage_ == Stage::Ended) return sendAbort(member.connection, culprit_, endCause_);
    const std::string cause = wire::validUtf8(sanitizeLine(report.cause()));
    if (member.key.role == wire::ROLE_EVALUATOR) return evaluatorFailed(cause, at);
    if (member.key.role != wire::ROLE_WORKER || draining())
        return log(member.key, 3, fmt::format("{}: {}", nameOf(member.key), cause), at);
    Evidence evidence;
    evidence.weight = report.secondary() ? EvidenceWeight::FollowUp : EvidenceWeight::Decisive;
    evidence.failure = failureOf(member.key, cause, at);
    if (report.step() > 0) evidence.failure.set_step(report.step());
    evidence.failure.set_detected_after_seconds(0);  // it says so itself, now
    evidence.kind = report.kind();
    evidence.remedy = wire::validUtf8(report.remedy().substr(0, 2048));
    elect(std::move(evidence), at);
}

void CoordinatorCore::processExited(const wire::ProcessExit& exit, std::uint32_t generation,
                                    Instant at) {
    noteOwnGap(at);
    if (generation != generation_ || exit.role() == wire::ROLE_AGENT) return;
    const ProcessKey key = keyOf(exit.role(), exit.process_id());
    const Member* member = members_.find(key);
    const bool formerLife =
        member != nullptr && exit.incarnation() != 0 && exit.incarnation() != member->incarnation;
    if (formerLife) return;
    const bool left = member != nullptr && member->state == MemberState::Left;
    const ExitCause cause = describeExit(exit);
    if (left || stage_ == Stage::Ended) {
        if (cause.failed && left && !runEnd_)
            log(key, 2, fmt::format("{} {} after it had left", nameOf(key), cause.sentence), at);
        return;
    }
    if (key.role == wire::ROLE_WORKER) return workerExited(exit, at);
    if (cause.failed) return evaluatorFailed(cause.sentence, at);
    members_.markLeft(key);
    liveness_.forget(key);
    setEvaluatorGone(true);
    checkDrained(at);
}

void CoordinatorCore::workerExited(const wire::ProcessExit& exit, Instant at) {
    const ProcessKey key = keyOf(exit.role(), exit.process_id());
    ExitCause cause = describeExit(exit);
    Evidence evidence;
    evidence.weight = cause.decisive ? EvidenceWeight::Decisive : EvidenceWeight::Exit;
    evidence.kind = cause.badInput ? wire::ERROR_BAD_INPUT : wire::ERROR_JOB_FAILED;
    evidence.failure = failureOf(key, cause.sentence, at);
    evidence.remedy = std::move(cause.remedy);
    members_.fence(key);
    liveness_.forget(key);
    store_.forget(key);
    progress_.removeProcess(key.id);
    if (!draining()) return elect(std::move(evidence), at);
    log(key, 2, fmt::format("{} {} without having left", nameOf(key), cause.sentence), at);
    checkDrained(at);
}

void CoordinatorCore::evaluatorFailed(const std::string& cause, Instant at) {
    const ProcessKey key{wire::ROLE_EVALUATOR, 0};
    setEvaluatorGone(true);
    if (stage_ != Stage::Ended) {
        wire::Record record;
        *record.mutable_failure() = failureOf(key, cause, at);
        append(std::move(record), at);
    }
    members_.fence(key);
    store_.forget(key);
    liveness_.forget(key);
    checkDrained(at);
}

void CoordinatorCore::setEvaluatorGone(bool gone) {
    evaluatorGone_ = gone;
    std::ignore = store_.set(std::string(kEvaluatorGoneKey), gone ? "1" : "0");
}

void CoordinatorCore::memberLeaves(Member& member, const wire::Leave& leave, Instant at) {
    wire::FromCoordinator ack;
    ack.mutable_leave_ack();
    sendTo(member, std::move(ack));
    if (member.state != MemberState::Present) return;  // repeated: the answer may have been lost
    const ProcessKey key = member.key;
    members_.markLeft(key);
    liveness_.forget(key);
    store_.forget(key);
    if (key.role == wire::ROLE_WORKER) {
        progress_.removeProcess(key.id);
        answerBarriers(barriers_.leave(key.id));
        if (stage_ == Stage::Registering) {
            Evidence evidence;
            evidence.failure = failureOf(key, "left before all processes had registered", at);
            return elect(std::move(evidence), at);
        }
        if (key.id == 0 && stage_ == Stage::Running) {
            chiefsLeave_ = leave;
            drainDeadline_ = at.now + rules_.drainTimeout;
            if (const auto answers = store_.set(std::string(kRunEndedKey), leave.status()))
                answerGets(*answers);
        }
    }
    checkDrained(at);
}

void CoordinatorCore::checkDrained(Instant at) {
    if (stage_ != Stage::Running || !draining()) return;
    const ProcessKey evaluator{wire::ROLE_EVALUATOR, 0};
    const Member* evaluatorMember = members_.find(evaluator);
    const bool evaluatorPending =
        rules_.evaluator && !evaluatorGone_ &&
        (evaluatorMember == nullptr || evaluatorMember->state == MemberState::Present);
    const std::vector<std::uint32_t> present = members_.presentWorkers();
    const bool late = at.now >= *drainDeadline_;
    if ((evaluatorPending || !present.empty()) && !late) return;
    for (const std::uint32_t id : present)
        log({wire::ROLE_WORKER, id}, 2,
            fmt::format("process {} did not leave within {}", id, secondsText(rules_.drainTimeout)),
            at);
    Outcome outcome = chiefsOutcome();
    const bool stopped = outcome.kind == OutcomeKind::Stopped;
    stage_ = Stage::Ended;
    if (evaluatorPending) {
        wire::Record record;
        *record.mutable_failure() =
            failureOf(evaluator,
                      fmt::format("did not finish within {} after the end of training",
                                  secondsText(rules_.drainTimeout)),
                      at);
        append(std::move(record), at);
    }
    endCause_ = stopped ? "it was stopped on request" : "it is complete";
    finish(std::move(outcome));
}

Outcome CoordinatorCore::chiefsOutcome() const {
    Outcome outcome;
    outcome.kind =
        chiefsLeave_.status() == "stopped" ? OutcomeKind::Stopped : OutcomeKind::Completed;
    outcome.summaryJson = chiefsLeave_.summary_json();
    return outcome;
}

void CoordinatorCore::elect(Evidence evidence, Instant at) {
    election_.add(std::move(evidence), at.now);
    if (stage_ == Stage::Ended) return;
    if (const auto cause = election_.decide(at.now)) failGeneration(*cause, at);
}

void CoordinatorCore::failGeneration(Evidence cause, Instant at) {
    if (isOwnGapsDoing(cause, at)) cause = ownGapEvidence(at);
    const wire::Failure& failure = cause.failure;
    const ProcessKey culprit = keyOf(failure.role(), failure.process_id());
    const std::string sentence =
        fmt::format("{}: {}", nameOf(culprit, failure.host()), failure.cause());
    culprit_ = culprit.role == wire::ROLE_AGENT ? -1 : static_cast<std::int32_t>(culprit.id);
    endCause_ = sentence;
    wire::Record record;
    *record.mutable_failure() = failure;
    append(std::move(record), at);
    wire::Record verdict;
    verdict.mutable_verdict()->set_sentence(sentence);
    verdict.mutable_verdict()->set_severity(kSeverityLost);
    if (culprit_ >= 0) verdict.mutable_verdict()->add_processes(failure.process_id());
    append(std::move(verdict), at);
    for (const auto& [key, member] : members_.all())
        if (member.state == MemberState::Present) sendAbort(member.connection, culprit_, sentence);
    answerGets(store_.abort(sentence));
    answerBarriers(barriers_.abort(sentence));
    Outcome outcome;
    outcome.kind =
        cause.kind == wire::ERROR_BAD_INPUT ? OutcomeKind::BadInput : OutcomeKind::Failed;
    outcome.failure = failure;
    outcome.remedy = cause.remedy;
    outcome.stopRequested = stopRepeat_.has_value();
    finish(std::move(outcome));
}

void CoordinatorCore::requestStop(Instant at) {
    if (stage_ == Stage::Ended || stopRepeat_ || draining()) return;
    stopRepeat_ = at.now;
    setState(wire::RUN_STATE_STOPPING, "stopping after the step in flight", at);
    repeatStop(at);
    if (stage_ != Stage::Registering) return;
    endCause_ = "it was stopped on request";
    finish(Outcome{OutcomeKind::Stopped, {}, {}, {}, true});
}

void CoordinatorCore::repeatStop(Instant at) {
    if (stage_ == Stage::Ended || !stopRepeat_ || at.now < *stopRepeat_) return;
    stopRepeat_ = at.now + kStopRepeat;
    wire::FromCoordinator message;
    message.mutable_stop()->set_reason("a stop was asked for");
    for (const std::uint32_t id : members_.presentWorkers())
        sendTo(*members_.find({wire::ROLE_WORKER, id}), message);
}

void CoordinatorCore::requestKill(Instant at) {
    if (stage_ == Stage::Ended) return;
    const bool trained = draining();  // only the evaluator is cut short: the result stands
    endCause_ = "it was ended on request";
    setState(wire::RUN_STATE_STOPPING, "ending all processes", at);
    for (const auto& [key, member] : members_.all())
        if (member.state == MemberState::Present)
            sendAbort(member.connection, -1, "the run was ended on request");
    finish(trained ? chiefsOutcome() : Outcome{OutcomeKind::Stopped, {}, {}, {}, true});
}

void CoordinatorCore::finish(Outcome outcome) {
    stage_ = Stage::Ended;
    registrationDeadline_.reset();
    outcome.agents = static_cast<std::uint32_t>(std::ranges::count_if(
        members_.all(), [](const auto& entry) { return entry.first.role == wire::ROLE_AGENT; }));
    actions_.emplace_back(FinishAction{std::move(outcome)});
}

void CoordinatorCore::endRun(const wire::RunEnd& end, Instant at) {
    if (runEnd_) return;
    stage_ = Stage::Ended;
    const std::string& status = end.status();
    if (endCause_.empty()) endCause_ = status;
    const wire::RunState state = status == "completed" ? wire::RUN_STATE_COMPLETED
                                 : status == "stopped" ? wire::RUN_STATE_STOPPED
                                                       : wire::RUN_STATE_FAILED;
    setState(state, state == wire::RUN_STATE_FAILED ? endCause_ : status, at);
    wire::Record record;
    *record.mutable_run_end() = end;
    append(std::move(record), at);
    runEnd_ = end;
    wire::FromCoordinator over;
    *over.mutable_run_over() = end;
    tellAgents(over);
}

void CoordinatorCore::tellAgents(const wire::FromCoordinator& message) {
    for (const auto& [key, member] : members_.all())
        if (key.role == wire::ROLE_AGENT && member.state == MemberState::Present)
            sendTo(member, message);
}

void CoordinatorCore::judgeProgress(Instant at) {
    if (stage_ == Stage::Ended) return;
    std::optional<Finding> finding;
    if (stage_ == Stage::Running && !draining()) finding = progress_.judge(at.now);
    if (!finding) finding = lateFinding(at);
    if (auto verdict = verdicts_.update(finding, at.now)) {
        wire::Record record;
        *record.mutable_verdict() = std::move(*verdict);
        append(std::move(record), at);
    }
}

std::optional<Finding> CoordinatorCore::lateFinding(Instant at) const {
    Finding finding;
    finding.subject = "late";
    std::vector<std::string> names;
    Nanos silence{};
    for (const std::uint32_t id : members_.presentWorkers()) {
        const ProcessKey key{wire::ROLE_WORKER, id};
        if (liveness_.stateOf(key) != Liveness::Late) continue;
        finding.processes.push_back(id);
        finding.subject += fmt::format(" {}", id);
        names.push_back(nameOf(key, members_.find(key)->facts.host()));
        silence = std::max(silence, liveness_.silence(key, at.now));
    }
    if (names.empty()) return std::nullopt;
    finding.sentence = fmt::format("{} {} sent no heartbeat for {}", joinWords(names),
                                   names.size() == 1 ? "has" : "have", secondsText(silence));
    return finding;
}

wire::Failure CoordinatorCore::failureOf(const ProcessKey& key, std::string cause,
                                         Instant at) const {
    wire::Failure failure;
    failure.set_process_id(key.id);
    failure.set_role(key.role);
    failure.set_cause(std::move(cause));
    failure.set_step(key.role == wire::ROLE_WORKER ? progress_.stepOf(key.id) : 0);
    failure.set_detected_after_seconds(Seconds(liveness_.silence(key, at.now)).count());
    if (const Member* member = members_.find(key)) failure.set_host(member->facts.host());
    return failure;
}

}  // namespace lockstep::coordination
