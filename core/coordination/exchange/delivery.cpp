// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/exchange/delivery.h"

#include <utility>

namespace lockstep::coordination {

namespace {

/// Small beside what senders keep (SentWindow), seldom enough to cost nothing.
constexpr std::uint64_t kMostUnconfirmed = 32;
constexpr Nanos kConfirmInterval = 250ms;

}  // namespace

bool Delivery::take(Member& member, std::uint64_t sequence) {
    if (sequence == 0) return true;
    // Whoever repeats itself has missed a confirmation, and gets another one.
    unconfirmed_.insert(member.key);
    if (!member.inbound.take(sequence)) {
        ++outbox_.counters().repeated;
        return false;
    }
    if (member.inbound.unconfirmed() >= kMostUnconfirmed) confirm(member);
    return true;
}

void Delivery::confirm(Member& member) {
    member.inbound.markConfirmed();
    unconfirmed_.erase(member.key);
    outbox_.send(member, {});  // every message to it tells how far it has been taken
}

void Delivery::confirm(Nanos now) {
    if (now - lastConfirmation_ < kConfirmInterval) return;
    lastConfirmation_ = now;
    for (const ProcessKey& key : std::exchange(unconfirmed_, {}))
        if (Member* member = members_.find(key)) confirm(*member);
}

}  // namespace lockstep::coordination
