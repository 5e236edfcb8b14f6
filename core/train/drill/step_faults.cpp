// SPDX-License-Identifier: Apache-2.0
#include "core/train/drill/step_faults.h"

#include <utility>

namespace lockstep::train {

bool StepFaults::order(StepFault fault) {
    Lock lock(mutex_);
    if (fault_) return false;
    fault_ = std::move(fault);
    isPending_.store(true);
    return true;
}

std::optional<StepFault> StepFaults::take() {
    Lock lock(mutex_);
    isPending_.store(false);
    return std::exchange(fault_, std::nullopt);
}

}  // namespace lockstep::train
