// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/program/executor.h"
#include "core/program/instruction_times.h"

namespace lockstep::program {

/// Runs `steps` steps of a training program of one replica with drawn numbers for samples, tensors
/// and the gradient of the output, and measures each instruction. A step before them, which makes
/// library code ready, is not measured. The errors of the executor.
[[nodiscard]] Result<InstructionTimes> timeProgram(Executor& executor, int steps);

}  // namespace lockstep::program
