// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/coordination/state/lost_agent.h"
#include "core/coordination/state/outcome.h"

namespace lockstep::launch {

/// Whether the launcher of a tied run may begin it again after this end: it starts the agents of
/// all hosts anew where it has lost one of them, and whoever was tied to that one has asked for a
/// stop. `isAbandoned`: process 0's agent has lost it.
[[nodiscard]] inline bool mayBeginAgain(const coordination::Outcome& outcome, bool isAbandoned) {
    if (outcome.isWanted) return false;
    if (outcome.kind == coordination::OutcomeKind::Stopped) return true;
    if (outcome.kind != coordination::OutcomeKind::Failed) return false;
    return isAbandoned || outcome.stopRequested ||
           outcome.failure.cause() == coordination::kLostAgent;
}

}  // namespace lockstep::launch
