// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/clock.h"

namespace lockstep::program {

/// What each instruction of a program took, added up over `steps` steps.
struct InstructionTimes {
    enum class Clock : std::uint8_t { Processor, Device };
    Clock clock = Clock::Processor;  ///< Whose time it is.
    std::vector<Nanos> forward;
    std::vector<Nanos> backward;
    int steps = 0;
};

}  // namespace lockstep::program
