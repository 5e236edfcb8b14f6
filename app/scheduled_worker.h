// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "app/terminal/command_line.h"
#include "app/terminal/job_argument.h"

namespace lockstep::app {

/// `lockstep-worker JOB.toml`: what a scheduler starts, once for every process. What is not given
/// comes from the job file, the environment, or the scheduler that is detected.
struct ScheduledArguments {
    JobArgument job;
    std::optional<int> processId;
    std::optional<int> numProcesses;
    std::string coordinatorAddress;
    std::string localDeviceIds;  ///< "0,1"; empty: not given.
    std::string detection;       ///< A method of detectCluster; empty: the first that is present.
};

void addScheduledOptions(ArgumentList program, ScheduledArguments& arguments);

/// One process of the job to its end; its exit status. This process is the agent, a child trains.
int runScheduled(const ScheduledArguments& arguments);

}  // namespace lockstep::app
