// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/wire/messages.pb.h"

namespace lockstep::coordination {

enum class OutcomeKind : std::uint8_t {
    Completed,
    Stopped,   ///< On request: exit status 3.
    Failed,    ///< `failure` names the cause: exit status 1.
    BadInput,  ///< Likewise, but the user's data or job are wrong: exit status 2, no restart.
};

/// How a generation of the job ended.
struct Outcome {
    OutcomeKind kind = OutcomeKind::Completed;
    std::string summaryJson;     ///< The chief's; empty unless it left in order.
    wire::Failure failure;       ///< Of Failed and BadInput: whom and what, in the user's words.
    std::string remedy;          ///< Up to four lines, may be empty.
    bool stopRequested = false;  ///< Somebody had asked for a stop: no reason to start over.
    std::uint32_t agents = 0;    ///< That have joined since the run began.
};

}  // namespace lockstep::coordination
