// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/cause_election.h"

#include <algorithm>

namespace lockstep::coordination {

namespace {

bool sameProcess(const wire::Failure& a, const wire::Failure& b) {
    return ProcessKey{a.role(), a.process_id()} == ProcessKey{b.role(), b.process_id()};
}

}  // namespace

bool CauseElection::saidFollowUp(const wire::Failure& who) const {
    return std::ranges::any_of(evidence_, [&](const Evidence& known) {
        return known.weight == EvidenceWeight::FollowUp && sameProcess(known.failure, who);
    });
}

void CauseElection::add(Evidence evidence, Nanos now) {
    if (decided_) return;
    if (evidence_.empty()) firstSeen_ = now;
    // Whoever fails because of another one also ends with an error status, and the two messages
    // come over two connections in any order: its end is then no cause either.
    if (evidence.weight == EvidenceWeight::Exit && saidFollowUp(evidence.failure)) return;
    if (evidence.weight == EvidenceWeight::FollowUp)
        std::erase_if(evidence_, [&](const Evidence& known) {
            return known.weight == EvidenceWeight::Exit &&
                   sameProcess(known.failure, evidence.failure);
        });
    evidence_.push_back(std::move(evidence));
}

std::optional<Evidence> CauseElection::decide(Nanos now) {
    if (decided_ || evidence_.empty()) return std::nullopt;
    const auto best = std::ranges::max_element(evidence_, {}, &Evidence::weight);  // the earliest
    const Nanos grace = best->weight == EvidenceWeight::Decisive ? Nanos{}
                        : best->weight == EvidenceWeight::Exit   ? graces_.exit
                                                                 : graces_.followUp;
    if (now - firstSeen_ < grace) return std::nullopt;
    decided_ = true;
    return *best;
}

}  // namespace lockstep::coordination
