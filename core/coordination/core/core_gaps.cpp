// SPDX-License-Identifier: Apache-2.0
// What CoordinatorCore makes of times for which it did not run itself: a suspended machine, a
// stopped process. Nobody else is to blame for what comes of them.
#include <fmt/format.h>

#include <algorithm>

#include "core/coordination/core/coordinator_core.h"
#include "core/coordination/core/heartbeat_times.h"

namespace lockstep::coordination {

namespace {

constexpr Nanos kGapWorthALine = 3s;
constexpr Nanos kGapAftermath = 5s;  ///< Until processes that gave up meanwhile have ended.

Nanos intervalOf(const JobRules& rules) {
    return heartbeatInterval(rules.heartbeatInterval, rules.heartbeatTimeout);
}

std::string ownGapText(Nanos gap) {
    return fmt::format("did not run for {:.3g} s itself", Seconds(gap).count());
}

}  // namespace

/// The witness slept (a suspended machine, a stopped process): silence meanwhile is no evidence.
void CoordinatorCore::noteOwnGap(Instant at) {
    const Nanos gap = at.now - lastInput_;
    lastInput_ = at.now;
    if (gap <= forgivenGap(intervalOf(rules_))) return;
    liveness_.forgive(gap);
    if (registrationDeadline_) *registrationDeadline_ += gap;
    // A busy turn right behind a long gap explains less than the gap does.
    if (gap >= ownGap_ || !isGapFresh(at)) {
        ownGap_ = gap;
        ownGapEnd_ = at.now;
    }
    if (gap < kGapWorthALine || stage_ == Stage::Ended) return;
    log({wire::ROLE_AGENT, 0}, 2, fmt::format("the coordinator {}", ownGapText(gap)), at);
}

bool CoordinatorCore::isGapFresh(Instant at) const {
    return at.now - ownGapEnd_ <= rules_.heartbeatTimeout + kGapAftermath;
}

/// Processes that have given up on a coordinator that did not run are not to blame. Whoever was
/// killed, or says its own error, is.
bool CoordinatorCore::isOwnGapsDoing(const Evidence& cause, Instant at) const {
    const bool longEnough = ownGap_ + 2 * intervalOf(rules_) >= rules_.heartbeatTimeout;
    return longEnough && isGapFresh(at) && cause.kind == wire::ERROR_JOB_FAILED &&
           (cause.weight != EvidenceWeight::Decisive || cause.bySilence);
}

Evidence CoordinatorCore::ownGapEvidence(Instant at) const {
    Evidence evidence;
    evidence.failure = failureOf({wire::ROLE_AGENT, 0},
                                 fmt::format("the coordinator {}, and the processes of the job "
                                             "gave up on it",
                                             ownGapText(ownGap_)),
                                 at);
    evidence.failure.set_detected_after_seconds(Seconds(at.now - ownGapEnd_).count());
    evidence.remedy =
        "Its machine was suspended, out of memory, or busy beyond measure. Where that is usual,\n"
        "raise cluster.heartbeat_timeout_seconds; launch.max_restarts starts such a job again.";
    return evidence;
}

}  // namespace lockstep::coordination
