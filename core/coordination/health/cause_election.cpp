// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/cause_election.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/coordination/state/sentences.h"

namespace lockstep::coordination {

namespace {

ProcessKey keyOf(const wire::Failure& failure) {
    return {failure.role(), failure.process_id()};
}

bool sameProcess(const wire::Failure& a, const wire::Failure& b) {
    return keyOf(a) == keyOf(b);
}

}  // namespace

bool CauseElection::saidFollowUp(const wire::Failure& who) const {
    return std::ranges::any_of(evidence_, [&](const Heard& known) {
        return known.evidence.weight == EvidenceWeight::FollowUp &&
               sameProcess(known.evidence.failure, who);
    });
}

bool CauseElection::undecided() const {
    const bool isForetold =
        std::ranges::any_of(evidence_, [](const Heard& one) { return one.evidence.isForetold; });
    return !decided_ && !evidence_.empty() && !isForetold;
}

/// Of what was foretold: it has happened then, whoever was quicker to tell the rest.
bool CauseElection::takesPlace(Evidence& evidence) {
    const auto foretold = std::ranges::find_if(evidence_, [&](const Heard& known) {
        return known.evidence.isForetold && sameProcess(known.evidence.failure, evidence.failure);
    });
    if (foretold == evidence_.end()) return false;
    foretold->evidence = std::move(evidence);
    return true;
}

void CauseElection::add(Evidence evidence, Nanos now) {
    if (decided_) return;
    if (evidence_.empty()) firstSeen_ = now;
    // Whoever fails because of another one also ends with an error status, and the two messages
    // come over two connections in any order: its end is then no cause either.
    if (evidence.weight == EvidenceWeight::Exit && saidFollowUp(evidence.failure)) return;
    if (evidence.weight == EvidenceWeight::FollowUp)
        std::erase_if(evidence_, [&](const Heard& known) {
            return known.evidence.weight == EvidenceWeight::Exit &&
                   sameProcess(known.evidence.failure, evidence.failure);
        });
    if (!takesPlace(evidence)) evidence_.push_back({std::move(evidence), now});
}

void CauseElection::withdraw(const ProcessKey& process) {
    std::erase_if(evidence_, [&](const Heard& known) {
        return known.evidence.isForetold && keyOf(known.evidence.failure) == process;
    });
}

std::optional<Evidence> CauseElection::decide(Nanos now) {
    if (decided_ || evidence_.empty()) return std::nullopt;
    const auto best = std::ranges::max_element(
        evidence_, {}, [](const Heard& one) { return one.evidence.weight; });  // the earliest
    const Evidence& cause = best->evidence;
    const Nanos grace = cause.weight == EvidenceWeight::Decisive ? Nanos{}
                        : cause.weight == EvidenceWeight::Exit   ? graces_.exit
                                                                 : followUpGrace();
    const Nanos since = cause.weight == EvidenceWeight::FollowUp ? best->at : firstSeen_;
    if (now - since < grace) return std::nullopt;
    if (cause.isForetold && now - best->at < graces_.foretold) return std::nullopt;
    decided_ = true;
    return cause.weight == EvidenceWeight::FollowUp ? causeOfFollowUps(cause) : cause;
}

LostConnections CauseElection::lostConnections() const {
    LostConnections lost;
    for (const Heard& one : evidence_)
        if (const auto& peer = one.evidence.lostPeer)
            lost.add(one.evidence.failure.process_id(), peer->process_id());
    return lost;
}

/// That of a process which died is told by its agent, perhaps later than all others tell of their
/// connections to it. Once every single one has told of its own nobody is dead.
Nanos CauseElection::followUpGrace() const {
    const LostConnections lost = lostConnections();
    return lost.tellers() == workers_ && lost.commonEnd() ? Nanos{} : graces_.followUp;
}

/// Whoever has lost its connections makes all others tell of it, and may be the last to do so.
Evidence CauseElection::causeOfFollowUps(const Evidence& earliest) const {
    const LostConnections lost = lostConnections();
    const std::optional<std::uint32_t> end = lost.commonEnd();
    if (!end) return earliest;
    Evidence ofOthers;
    for (const auto& [one, at] : evidence_) {
        if (keyOf(one.failure) == ProcessKey{wire::ROLE_WORKER, *end}) return one;
        if (one.lostPeer && one.lostPeer->process_id() == *end) ofOthers.failure = *one.lostPeer;
    }
    ofOthers.weight = EvidenceWeight::FollowUp;
    ofOthers.failure.set_cause(
        fmt::format("{} have lost their connections to it", processesText(lost.peersOf(*end))));
    ofOthers.remedy =
        "Something on the way to its host has closed them: see its network interface, switch and "
        "firewall.";
    return ofOthers;
}

}  // namespace lockstep::coordination
