// SPDX-License-Identifier: Apache-2.0
#include "core/program/cuda_programs.h"

#include "core/base/try.h"
#include "core/tensor/cuda_module.h"

namespace lockstep::program {

namespace {

Result<const CudaProgramTable*> loadCudaPrograms() {
    const auto module = TRY(tensor::loadCudaModule());
    const auto entry = TRY(module.library.function<CudaProgramsEntry>("lockstepCudaPrograms"));
    const CudaProgramTable* table = entry(kCudaProgramsAbi);
    if (table == nullptr)
        return fail(ErrorCode::Unavailable,
                    "lockstep-cuda is of another build than this program (another interface)",
                    "Install lockstep-worker and lockstep-cuda from one package.");
    return table;
}

}  // namespace

Result<std::unique_ptr<Executor>> makeCudaExecutor(Program program,
                                                   const CudaExecutorOptions& options) {
    const auto* table = TRY(loadCudaPrograms());
    return table->makeExecutor(std::move(program), options);
}

Result<std::unique_ptr<tensor::StepEngine>> makeCudaEngine(const EnginePrograms& programs,
                                                           const CudaExecutorOptions& options,
                                                           const tensor::EngineLinks& links) {
    const auto* table = TRY(loadCudaPrograms());
    return table->makeEngine(programs, options, links);
}

}  // namespace lockstep::program
