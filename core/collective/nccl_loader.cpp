// SPDX-License-Identifier: Apache-2.0
#include "core/collective/nccl_loader.h"

#include "core/base/try.h"
#include "core/tensor/cuda_module.h"

namespace lockstep::collective {

Result<std::vector<NcclReplica>> makeNcclReplicas(const NcclOptions& options) {
    const auto module = tensor::loadCudaModule();
    if (!module) return fail(module.error());
    const auto entry = TRY(module->library.function<NcclModuleEntry>("lockstepNcclModule"));
    const NcclModuleTable* table = entry(tensor::kCudaModuleAbi);
    if (table == nullptr)
        return fail(ErrorCode::Unavailable, module->library.name() + " is of another build");
    return table->makeReplicas(options);
}

}  // namespace lockstep::collective
