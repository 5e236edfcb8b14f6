// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/core/end_notices.h"

#include <algorithm>

namespace lockstep::coordination {

namespace {

constexpr Nanos kRepeat = 100ms;
constexpr Nanos kPatience = 3s;  ///< Whoever hangs must not keep the others' program from ending.

}  // namespace

void EndNotices::tell(std::int32_t culprit, const std::string& cause, Nanos now) {
    culprit_ = culprit;
    cause_ = cause;
    told_ = now;
    tellAgain_ = now + kRepeat;
    for (const auto& [key, member] : members_.all()) {
        if (member.state != MemberState::Present) continue;
        outbox_.abort(member.connection, culprit, cause);
        if (key.role != wire::ROLE_AGENT) unsure_.insert(key);
    }
}

void EndNotices::tick(Nanos now) {
    if (now - told_ >= kPatience) unsure_.clear();
    if (unsure_.empty() || now < tellAgain_) return;
    tellAgain_ = now + kRepeat;
    for (const ProcessKey& key : unsure_)
        if (const Member* member = awaitedMember(key))
            outbox_.abort(member->connection, culprit_, cause_);
}

std::size_t EndNotices::awaited() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        unsure_, [this](const ProcessKey& key) { return awaitedMember(key) != nullptr; }));
}

/// Null for one that has left, was lost or has no connection: it hears nothing now.
const Member* EndNotices::awaitedMember(const ProcessKey& process) const {
    const Member* member = members_.find(process);
    const bool hears =
        member != nullptr && member->state == MemberState::Present && !member->connection.empty();
    return hears ? member : nullptr;
}

}  // namespace lockstep::coordination
