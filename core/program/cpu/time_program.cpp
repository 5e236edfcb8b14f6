// SPDX-License-Identifier: Apache-2.0
#include "core/program/cpu/time_program.h"

#include "core/base/try.h"
#include "core/program/cpu/cpu_executor.h"
#include "core/program/time_program.h"

namespace lockstep::program {

Result<InstructionTimes> timeProgram(const Program& program, int steps) {
    const auto device = tensor::openCpuDevice();
    return timeProgram(*TRY(CpuExecutor::make(*device, program)), steps);
}

}  // namespace lockstep::program
