// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/job/fold/session.h"

namespace lockstep::app {

/// What SIGINT and SIGTERM mean while a run is shown.
enum class OnInterrupt : std::uint8_t {
    StopRun,   ///< The first asks it to stop with a checkpoint, the second ends it now, the third
               ///< leaves an agent that does not answer.
    LeaveRun,  ///< The run goes on without this terminal.
};

struct FollowOptions {
    OnInterrupt onInterrupt = OnInterrupt::StopRun;
    std::string jsonFile{};      ///< The summary goes there, too; empty: it does not.
    bool programOutput = false;  ///< What the processes print is shown from the first line on; a
                                 ///< run that is known to be a user's own program's, always.
};

/// Shows a run until it ends; returns its exit status, with its error on standard error and its
/// summary on standard output. 0 when it was left. What a user's own program prints from now on
/// appears on standard output, each line behind the number of its process.
int followToTheEnd(job::Session& session, const FollowOptions& options);

/// Shows a run until it trains, or waits in a scheduler's queue, for --detach; 0 then, or its exit
/// status when it ended before.
int followUntilTraining(job::Session& session);

}  // namespace lockstep::app
