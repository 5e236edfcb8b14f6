// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/own_gaps.h"

#include "core/coordination/health/heartbeat_times.h"
#include "core/wire/messages/member.pb.h"

namespace lockstep::coordination {

namespace {

constexpr Nanos kAftermath = 5s;  ///< Until processes that gave up meanwhile have ended.

}  // namespace

OwnGaps::OwnGaps(const JobRules& rules)
    : heartbeatInterval_(heartbeatInterval(rules.heartbeatInterval, rules.heartbeatTimeout)),
      heartbeatTimeout_(rules.heartbeatTimeout) {}

void OwnGaps::beginGeneration(Nanos now) {
    lastTurn_ = now;
    length_ = end_ = {};
}

Nanos OwnGaps::note(Nanos now) {
    const Nanos gap = now - lastTurn_;
    lastTurn_ = now;
    if (gap <= forgivenGap(heartbeatInterval_)) return {};
    // A busy turn right behind a long gap explains less than the gap does.
    if (gap >= length_ || !isFresh(now)) {
        length_ = gap;
        end_ = now;
    }
    return gap;
}

bool OwnGaps::isFresh(Nanos now) const {
    return since(now) <= heartbeatTimeout_ + kAftermath;
}

bool OwnGaps::explains(const Evidence& cause, Nanos now) const {
    const bool longEnough = length_ + 2 * heartbeatInterval_ >= heartbeatTimeout_;
    return longEnough && isFresh(now) && cause.kind == wire::ERROR_JOB_FAILED &&
           (cause.weight != EvidenceWeight::Decisive || cause.bySilence);
}

}  // namespace lockstep::coordination
