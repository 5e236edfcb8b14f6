// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/program/instruction_times.h"
#include "core/program/program.h"

namespace lockstep::program {

/// As timeProgram() of an executor (core/program/time_program.h), on the calling thread.
/// Unavailable when there is not as much memory.
[[nodiscard]] Result<InstructionTimes> timeProgram(const Program& program, int steps);

}  // namespace lockstep::program
