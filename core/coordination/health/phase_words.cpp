// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/health/phase_words.h"

#include <fmt/format.h>

namespace lockstep::coordination {

std::string_view phaseName(wire::Phase phase) {
    switch (phase) {
        case wire::PHASE_STARTING:
            return "starting";
        case wire::PHASE_DATA:
            return "loading data";
        case wire::PHASE_FORWARD:
            return "forward";
        case wire::PHASE_BACKWARD:
            return "backward";
        case wire::PHASE_ALL_REDUCE:
            return "all-reduce";
        case wire::PHASE_UPDATE:
            return "update";
        case wire::PHASE_CHECKPOINT:
            return "checkpoint";
        case wire::PHASE_DISK:
            return "a wait for its disk";
        case wire::PHASE_EVALUATE:
            return "evaluation";
        case wire::PHASE_CALLBACK:
            return "a callback";
        case wire::PHASE_WAITING:
            return "waiting";
        case wire::PHASE_DONE:
            return "done";
        case wire::PHASE_PROGRAM:
            return "its own program";
        default:
            return "an unknown phase";
    }
}

bool isBetweenSteps(wire::Phase phase) {
    return phase == wire::PHASE_CHECKPOINT || phase == wire::PHASE_DISK ||
           phase == wire::PHASE_EVALUATE || phase == wire::PHASE_CALLBACK;
}

std::string stepWords(wire::Phase phase, std::uint64_t steps) {
    return isBetweenSteps(phase) ? fmt::format("after step {}", steps)
                                 : fmt::format("at step {}", steps + 1);
}

}  // namespace lockstep::coordination
