// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/stuck_policy.h"

namespace lockstep::coordination {

void StuckPolicy::update(const std::optional<Finding>& finding, Nanos now) {
    isSeen_ = finding && finding->severity == kSeverityStuck && rules_.action != StuckAction::Wait;
    if (!isSeen_ || finding->subject == subject_) return;  // it names the step: it has not moved
    subject_ = finding->subject;
    endsAt_ = now + rules_.grace;
}

void StuckPolicy::reset() {
    subject_.clear();
    isSeen_ = false;
}

bool StuckPolicy::postpone(Nanos now) {
    if (!isSeen_) return false;
    endsAt_ = now + rules_.grace;
    return true;
}

}  // namespace lockstep::coordination
