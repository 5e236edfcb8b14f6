// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>

#include "core/base/clock.h"
#include "core/coordination/state/membership.h"
#include "core/coordination/state/outbox.h"

namespace lockstep::coordination {

/// Sees to it that a broken connection loses nothing: numbered messages are taken once and in
/// order, and confirmed, so that their sender knows which to send again. No clock, no thread.
class Delivery {
public:
    Delivery(Membership& members, Outbox& outbox) : members_(members), outbox_(outbox) {}

    /// Takes the member's message of this number: false for one that is to have no effect, because
    /// it was taken before or because an earlier one is missing. 0: it may be lost, and come twice.
    [[nodiscard]] bool take(Member& member, std::uint64_t sequence);
    /// Tells senders how far their messages were taken; a few times a second, whenever it is
    /// called.
    void confirm(Nanos now);

private:
    void confirm(Member& member);

    Membership& members_;
    Outbox& outbox_;
    std::set<ProcessKey> unconfirmed_;  // were not told of their newest message
    Nanos lastConfirmation_{};
};

}  // namespace lockstep::coordination
