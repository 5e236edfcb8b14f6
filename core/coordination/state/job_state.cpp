// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/state/job_state.h"

namespace lockstep::coordination {

void JobState::beginGeneration(std::uint32_t generation) {
    generation_ = generation;
    stage_ = Stage::Registering;
    endCause_.clear();
    culprit_ = kNobody;
}

void JobState::end(const std::string& cause, std::int32_t culprit) {
    if (ended()) return;
    stage_ = Stage::Ended;
    endCause_ = cause;
    culprit_ = culprit;
}

}  // namespace lockstep::coordination
