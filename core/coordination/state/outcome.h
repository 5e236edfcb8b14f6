// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/exit_status.h"
#include "core/coordination/state/straggler.h"
#include "core/wire/messages/record.pb.h"

namespace lockstep::coordination {

enum class OutcomeKind : std::uint8_t {
    Completed,
    Stopped,   ///< On request.
    Failed,    ///< `failure` names the cause.
    BadInput,  ///< Failed because the user's data or job are wrong: a restart would not help.
};

[[nodiscard]] constexpr int exitStatusOf(OutcomeKind kind) {
    switch (kind) {
        case OutcomeKind::Completed:
            return kExitDone;
        case OutcomeKind::Stopped:
            return kExitStopped;
        case OutcomeKind::BadInput:
            return kExitBadInput;
        case OutcomeKind::Failed:
            return kExitFailed;
    }
    return kExitFailed;
}

/// Who asks a job to stop, or ends it.
enum class StopAsker : std::uint8_t {
    User,   ///< Nobody is to go on with it.
    Agent,  ///< Its launcher has gone: one that lives on may start another one.
};

/// What became of the checkpoints that evaluators were to score.
struct ScoringTally {
    std::size_t scored = 0;
    std::vector<std::int64_t> notScored;  ///< Their steps, ascending; the journal says why.
};

/// How a generation of the job ended.
struct Outcome {
    OutcomeKind kind = OutcomeKind::Completed;
    std::string summaryJson;     ///< The chief's; empty unless it left in order.
    wire::Failure failure;       ///< Who failed and of what, where it did: in the user's words.
    std::string remedy;          ///< Up to four lines, may be empty.
    bool stopRequested = false;  ///< Somebody had asked for a stop: no reason to start over.
    bool isWanted = false;       ///< A user had: nobody is to go on with the run.
    bool isFinal = false;        ///< Nor is there where the job's own rules end it.
    std::uint32_t agents = 0;    ///< How many have joined since the run began.
    ScoringTally scoring{};
    std::vector<wire::Drill> drills{};  ///< Of all generations so far; those that were refused not.
    StragglerTally stragglers{};        ///< Likewise.
};

}  // namespace lockstep::coordination
