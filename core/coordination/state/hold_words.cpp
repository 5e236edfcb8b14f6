// SPDX-License-Identifier: Apache-2.0
#include "core/coordination/state/hold_words.h"

#include <fmt/format.h>

namespace lockstep::coordination {

std::string holdWords(wire::Hold hold, bool isOne) {
    switch (hold) {
        case wire::HOLD_STOPPED:
            return isOne ? "is stopped (SIGSTOP or a debugger)"
                         : "are stopped (SIGSTOP or a debugger)";
        case wire::HOLD_DISK:
            return isOne ? "waits for its disk (state D)" : "wait for their disk (state D)";
        case wire::HOLD_FROZEN:
            return isOne ? "is frozen with its control group"
                         : "are frozen with their control group";
        default:
            return {};
    }
}

std::string behindHold(std::string_view holdWords, std::string_view consequence) {
    return holdWords.empty() ? std::string(consequence)
                             : fmt::format("{}, and {}", holdWords, consequence);
}

std::string silenceSentence(std::string_view names, bool isOne, std::string_view holdWords,
                            std::string_view lasted) {
    const std::string silence = isOne ? fmt::format("has sent no heartbeat for {}", lasted)
                                      : fmt::format("have sent no heartbeat for {}", lasted);
    return fmt::format("{} {}", names, behindHold(holdWords, silence));
}

std::string silenceRemedy(wire::Hold hold) {
    switch (hold) {
        case wire::HOLD_STOPPED:
            return "Whoever has stopped it lets it go on with `kill -CONT`, before "
                   "cluster.heartbeat_timeout_seconds\n"
                   "are over.";
        case wire::HOLD_DISK:
            return "A disk or a network file system of its host does not answer: see dmesg there.";
        case wire::HOLD_FROZEN:
            return "Its container was paused, or its control group frozen, on its host.";
        default:
            return "Its host may be down, cut off from the network, or stopped.";
    }
}

}  // namespace lockstep::coordination
