// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/base/result.h"
#include "core/launch/run/run_folder.h"

namespace lockstep::launch {

/// From now on this process's own words go to a log of the run: nobody reads its terminal.
void moveErrorOutput(const RunPaths& paths, const std::string& logName);

/// Answers the launcher with why the agent does not start; returns its exit status.
[[nodiscard]] int refuseStart(int output, const Error& error);

/// The launcher has gone, or is none; returns the exit status.
[[nodiscard]] int reportNoConfiguration(const Error& error);

}  // namespace lockstep::launch
