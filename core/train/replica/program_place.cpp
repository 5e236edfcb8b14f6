// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/program_place.h"

#include "core/base/try.h"
#include "core/program/cpu/cpu_executor.h"
#include "core/program/cuda_programs.h"

namespace lockstep::train {

Result<std::unique_ptr<program::Executor>> makeExecutor(tensor::Device& device,
                                                        const ProgramPlace& place,
                                                        program::Program program) {
    if (place.gpu)
        return program::makeCudaExecutor(
            std::move(program),
            {.device = *place.gpu, .precision = place.precision, .group = place.group});
    if (place.methods != nullptr) program.methods = *place.methods;
    return TRY(program::CpuExecutor::make(device, std::move(program), place.group));
}

}  // namespace lockstep::train
