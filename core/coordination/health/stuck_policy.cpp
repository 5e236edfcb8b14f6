// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/stuck_policy.h"

namespace lockstep::coordination {

void StuckPolicy::update(const std::optional<Finding>& finding, Nanos now) {
    const bool stuck = finding && finding->severity == kSeverityStuck;
    if (!stuck || rules_.action == StuckAction::Wait) {
        subject_.clear();
        endsAt_.reset();
        return;
    }
    if (finding->subject == subject_) return;
    subject_ = finding->subject;
    endsAt_ = now + rules_.grace;
}

bool StuckPolicy::postpone(Nanos now) {
    if (!endsAt_) return false;
    endsAt_ = now + rules_.grace;
    return true;
}

}  // namespace lockstep::coordination
