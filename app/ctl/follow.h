// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/job/session.h"

namespace lockstep::app {

/// Shows a run until it ends; returns its exit status, with its error on standard error and its
/// summary on standard output, and in `jsonFile` when that is not empty. The first SIGINT or
/// SIGTERM asks the run to stop with a checkpoint, the second ends it now.
int followToTheEnd(job::Session& session, const std::string& jsonFile);

/// Shows a run until it trains, for --detach; 0 then, or its exit status when it ended before.
int followUntilTraining(job::Session& session);

}  // namespace lockstep::app
