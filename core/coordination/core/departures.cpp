// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/core/departures.h"

#include <fmt/format.h>

#include <utility>

#include "core/base/exit_status.h"
#include "core/base/text.h"
#include "core/coordination/state/hold_words.h"
#include "core/coordination/state/sentences.h"
#include "core/wire/codec.h"

namespace lockstep::coordination {

namespace {

constexpr std::size_t kMostRemedyBytes = 2048;

CauseElection newElection(const JobRules& rules) {
    return {{rules.exitGrace, rules.followUpGrace, rules.foretoldGrace}, rules.workers};
}

}  // namespace

Departures::Departures(const JobState& job, Membership& members, Witness& witness,
                       RequestDesk& desk, Endings& endings, Outbox& outbox)
    : job_(job),
      members_(members),
      witness_(witness),
      desk_(desk),
      endings_(endings),
      outbox_(outbox),
      election_(newElection(job.rules())) {}

void Departures::beginGeneration() {
    election_ = newElection(job_.rules());
}

void Departures::takeLeave(const Member& member, const wire::Leave& leave, Instant at) {
    wire::FromCoordinator ack;
    ack.mutable_leave_ack();
    outbox_.send(member, std::move(ack));
    if (member.state != MemberState::Present) return;  // repeated: the answer may have been lost
    const ProcessKey key = member.key;
    members_.markLeft(key);
    forget(key);
    election_.withdraw(key);  // a stop came after its program's end had been told
    if (key.role == wire::ROLE_WORKER) {
        desk_.leave(key);
        if (job_.registering()) {
            Evidence evidence;
            evidence.failure =
                witness_.failureOf(key, "left before all processes had registered", at.now);
            return accuse(std::move(evidence), at);
        }
        if (key.id == 0 && job_.running()) endings_.drain(leave, at.now);
    }
    endings_.checkDrained(at);
}

void Departures::takeExit(const wire::ProcessExit& exit, std::uint32_t generation, Instant at) {
    if (generation != job_.generation() || exit.role() == wire::ROLE_AGENT) return;
    const ProcessKey key{exit.role(), exit.process_id()};
    const Member* member = members_.find(key);
    const bool formerLife =
        member != nullptr && exit.incarnation() != 0 && exit.incarnation() != member->incarnation;
    if (formerLife) return;
    const bool left = member != nullptr && member->state == MemberState::Left;
    const ExitCause cause = describeExit(exit);
    if (left || job_.ended()) {
        // Who was asked to end has, and who ends because the job did says why that was. A program's
        // supervisor that has left ends with a status of ours.
        const bool isProgramStopped =
            exit.own_program() && !exit.signalled() && exit.status() == kExitStopped;
        const bool follows =
            cause.onRequest || isProgramStopped || cause.sentence == job_.endCause();
        if (cause.failed && left && !follows)
            outbox_.log(key, LogLevel::Warning,
                        fmt::format("{} {} after it had left", nameOf(key), cause.sentence), at);
        return;
    }
    if (key.role == wire::ROLE_WORKER) return workerExited(key, cause, at);
    const bool isKnownLost = member != nullptr && member->state == MemberState::Gone;
    if (isKnownLost) return;
    if (cause.failed) return evaluatorFailed(key, cause.sentence, at);
    members_.markLeft(key);
    witness_.forget(key);
    endings_.evaluatorGone(key, "has ended", at);
    endings_.checkDrained(at);
}

/// Its supervisor has more to do before it ends, too: meanwhile others may fail because of it, and
/// end sooner.
void Departures::takeProgramEnd(const Member& member, wire::ProcessExit exit, Instant at) {
    if (member.key.role != wire::ROLE_WORKER || member.state != MemberState::Present) return;
    if (job_.ended() || endings_.draining()) return;
    exit.set_own_program(true);
    const ExitCause cause = describeExit(exit);
    if (!cause.failed) return;
    Evidence evidence = evidenceOf(member.key, cause, at);
    evidence.isForetold = true;
    accuse(std::move(evidence), at);
}

Evidence Departures::evidenceOf(const ProcessKey& key, const ExitCause& cause, Instant at) const {
    Evidence evidence;
    evidence.weight = cause.decisive         ? EvidenceWeight::Decisive
                      : cause.followsAnother ? EvidenceWeight::FollowUp
                                             : EvidenceWeight::Exit;
    evidence.kind = cause.badInput ? wire::ERROR_BAD_INPUT : wire::ERROR_JOB_FAILED;
    evidence.fromOutside = cause.fromOutside;
    evidence.failure = witness_.failureOf(key, cause.sentence, at.now);
    evidence.remedy = cause.remedy;
    return evidence;
}

void Departures::workerExited(const ProcessKey& key, const ExitCause& cause, Instant at) {
    Evidence evidence = evidenceOf(key, cause, at);
    members_.fence(key);
    forget(key);
    if (!endings_.draining()) return accuse(std::move(evidence), at);
    outbox_.log(key, LogLevel::Warning,
                fmt::format("{} {} without having left", nameOf(key), cause.sentence), at);
    endings_.checkDrained(at);
}

void Departures::takeError(const Member& member, const wire::ReportError& report, Instant at) {
    if (job_.ended()) return outbox_.abort(member.connection, job_.culprit(), job_.endCause());
    const std::string cause = wire::validUtf8(sanitizeLine(report.cause()));
    if (member.key.role == wire::ROLE_EVALUATOR) {
        endings_.evaluatorGone(member.key, "failed: " + cause, at);
        return evaluatorFailed(member.key, cause, at);
    }
    if (member.key.role != wire::ROLE_WORKER || endings_.draining())
        return outbox_.log(member.key, LogLevel::Error,
                           fmt::format("{}: {}", nameOf(member.key), cause), at);
    Evidence evidence;
    evidence.weight = report.secondary() ? EvidenceWeight::FollowUp : EvidenceWeight::Decisive;
    evidence.failure = witness_.failureOf(member.key, cause, at.now);
    if (report.step() > 0) evidence.failure.set_step(report.step());
    // What its training has written since is in between, and was good.
    if (report.suspect_checkpoint() >= witness_.committed())
        evidence.failure.set_suspect_checkpoint(report.suspect_checkpoint());
    evidence.failure.set_detected_after_seconds(0);  // it says so itself, now
    if (report.secondary() && report.has_lost_replica())
        evidence.lostPeer = lostPeerOf(member, report.lost_replica(), at);
    evidence.kind = report.kind();
    evidence.remedy = wire::validUtf8(report.remedy().substr(0, kMostRemedyBytes));
    accuse(std::move(evidence), at);
}

std::optional<wire::Failure> Departures::lostPeerOf(const Member& member, std::uint32_t replica,
                                                    Instant at) const {
    const Member* holder = job_.running() ? members_.holderOf(replica) : nullptr;
    if (holder == nullptr || holder->key == member.key) return std::nullopt;
    return witness_.failureOf(holder->key, "", at.now);
}

void Departures::evaluatorFailed(const ProcessKey& key, const std::string& cause, Instant at) {
    endings_.evaluatorGone(key, cause, at);
    if (!job_.ended()) outbox_.journalFailure(witness_.failureOf(key, cause, at.now), at);
    members_.fence(key);
    forget(key);
    endings_.checkDrained(at);
}

void Departures::noteSilence(Instant at) {
    std::vector<LivenessChange> lostWorkers;
    for (const LivenessChange& change : witness_.advance(at.now)) {
        const ProcessKey& key = change.process;
        if (change.state == Liveness::Late) late_.insert(key);
        if (change.state == Liveness::Alive) late_.erase(key);
        if (change.state != Liveness::Lost) continue;
        late_.erase(key);
        const std::string cause =
            behindHold(holdWords(witness_.holdOf(key)),
                       "sent no heartbeat for " + secondsText(change.silence));
        if (key.role == wire::ROLE_WORKER) {
            lostWorkers.push_back(change);
        } else if (key.role == wire::ROLE_EVALUATOR) {
            evaluatorFailed(key, cause, at);
        } else {
            members_.fence(key);
            outbox_.log(key, LogLevel::Warning, fmt::format("{} {}", nameOf(key), cause), at);
        }
    }
    if (!lostWorkers.empty()) loseWorkers(lostWorkers, at);
    if (late_.empty()) return;
    for (const wire::Role role : {wire::ROLE_EVALUATOR, wire::ROLE_AGENT})
        for (const LivenessChange& late : witness_.late(role, at.now))
            if (!job_.ended()) tellLate(late, at);
}

/// Of those whom nobody's step waits for; workers are in the verdict. Now and then, as long as it
/// is.
void Departures::tellLate(const LivenessChange& late, Instant at) {
    constexpr Nanos kPause = 5s;
    const auto [told, isFirst] = toldLate_.try_emplace(late.process, at.now);
    if (!isFirst && at.now - told->second < kPause) return;
    told->second = at.now;
    const Member* member = members_.find(late.process);
    outbox_.log(
        late.process, LogLevel::Warning,
        silenceSentence(nameOf(late.process, member ? member->facts.host() : ""), true,
                        holdWords(witness_.holdOf(late.process)), secondsText(late.silence)),
        at);
}

void Departures::loseWorkers(const std::vector<LivenessChange>& lost, Instant at) {
    const ProcessKey first = lost.front().process;
    std::vector<int> others;
    for (const LivenessChange& change : lost)
        if (change.process != first) others.push_back(static_cast<int>(change.process.id));
    std::string cause = "sent no heartbeat for " + secondsText(lost.front().silence);
    if (!others.empty()) cause += fmt::format(", nor did {}", processesText(others));
    Evidence evidence;
    evidence.bySilence = true;
    cause = behindHold(holdWords(witness_.holdOf(first)), cause);
    evidence.failure = witness_.failureOf(first, cause, at.now);
    evidence.remedy = silenceRemedy(witness_.holdOf(first));
    for (const LivenessChange& change : lost) {
        members_.fence(change.process);
        forget(change.process);
    }
    if (job_.ended()) return;
    if (endings_.draining())
        return outbox_.log(first, LogLevel::Warning, nameOf(first) + " " + cause, at);
    accuse(std::move(evidence), at);
}

/// Survivors tell at once that a connection broke; that of a process whose agent died with it is
/// told by its silence only. While there is no better evidence, whoever has become silent is it.
void Departures::accuseLateWorker(Instant at) {
    if (!election_.undecided() || !job_.running() || endings_.draining()) return;
    const std::vector<LivenessChange> late = witness_.late(wire::ROLE_WORKER, at.now);
    if (late.empty()) return;
    const ProcessKey key = late.front().process;
    Evidence evidence;
    evidence.bySilence = true;
    evidence.failure = witness_.failureOf(
        key,
        fmt::format("is lost: the others' connections to it are closed, and it has sent no "
                    "heartbeat for {}",
                    secondsText(late.front().silence)),
        at.now);
    evidence.remedy = "Its host may be down, or it was killed together with its agent.";
    members_.fence(key);
    accuse(std::move(evidence), at);
}

void Departures::accuse(Evidence evidence, Instant at) {
    election_.add(std::move(evidence), at.now);
    decide(at);
}

void Departures::tick(Instant at) {
    accuseLateWorker(at);
    decide(at);
}

/// Ends the generation once its cause is certain.
void Departures::decide(Instant at) {
    if (job_.ended()) return;
    if (auto cause = election_.decide(at.now))
        endings_.fail(witness_.examine(std::move(*cause), at.now), at);
}

void Departures::forget(const ProcessKey& process) {
    witness_.forget(process);
    desk_.forget(process);
}

}  // namespace lockstep::coordination
