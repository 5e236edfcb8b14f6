// SPDX-License-Identifier: Apache-2.0
// What CoordinatorCore does so that a broken connection loses nothing: numbered messages are taken
// once and in order, and confirmed, so that their sender knows which to send again.
#include "core/coordination/core/coordinator_core.h"

namespace lockstep::coordination {

namespace {

/// Small beside what senders keep (SentWindow), seldom enough to cost nothing.
constexpr std::uint64_t kUnconfirmed = 32;
constexpr Nanos kConfirmInterval = 250ms;

}  // namespace

/// Whether the member's message is the one that is due. One that was taken before comes again when
/// its confirmation was lost; one behind a gap comes again after what is missing.
bool CoordinatorCore::isNext(Member& member, std::uint64_t sequence) {
    if (sequence == 0) return true;
    unconfirmed_.insert(member.key);
    if (sequence != member.taken + 1) {
        ++counters_.repeated;
        return false;
    }
    ++member.taken;
    if (member.taken - member.confirmed >= kUnconfirmed) confirm(member);
    return true;
}

void CoordinatorCore::confirm(Member& member) {
    member.confirmed = member.taken;
    unconfirmed_.erase(member.key);
    sendTo(member, {});  // every message to it tells how far it has been taken
}

void CoordinatorCore::confirmAll(Instant at) {
    if (at.now - lastConfirmation_ < kConfirmInterval) return;
    lastConfirmation_ = at.now;
    for (const ProcessKey& key : std::exchange(unconfirmed_, {}))
        if (Member* member = members_.find(key)) confirm(*member);
}

}  // namespace lockstep::coordination
