// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/job/session.h"

namespace lockstep::app {

/// What SIGINT and SIGTERM mean while a run is shown.
enum class OnInterrupt : std::uint8_t {
    StopRun,   ///< The first asks it to stop with a checkpoint, the second ends it now, the third
               ///< leaves an agent that does not answer.
    LeaveRun,  ///< The run goes on without this terminal.
};

/// Shows a run until it ends; returns its exit status, with its error on standard error and its
/// summary on standard output, and in `jsonFile` when that is not empty. 0 when it was left.
int followToTheEnd(job::Session& session, OnInterrupt onInterrupt, const std::string& jsonFile);

/// Shows a run until it trains, or waits in a scheduler's queue, for --detach; 0 then, or its exit status when it ended before.
int followUntilTraining(job::Session& session);

}  // namespace lockstep::app
