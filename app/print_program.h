// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/terminal/command_line.h"
#include "app/terminal/job_argument.h"

namespace lockstep::app {

/// What of a job's program is to be printed.
struct PrintArguments {
    bool isWanted = false;
    bool isTimed = false;
};

void addPrintOptions(ArgumentList program, PrintArguments& arguments);

/// `lockstep-worker --print-program JOB.toml`: what a replica computes in a step of the job, an
/// instruction a line, for the largest share of a batch; where `isTimed`, with the processor time
/// of each, measured on drawn numbers. Nothing is trained; the data's files are read only where
/// they alone tell the network's sizes. Exit status 0, or 2 for a job that has no such program.
[[nodiscard]] int printProgram(const JobArgument& job, bool isTimed);

}  // namespace lockstep::app
