// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "core/base/clock.h"

namespace lockstep::program {

/// Processor time that each instruction of a program took, added up over `steps` steps.
struct InstructionTimes {
    std::vector<Nanos> forward;
    std::vector<Nanos> backward;
    int steps = 0;
};

}  // namespace lockstep::program
