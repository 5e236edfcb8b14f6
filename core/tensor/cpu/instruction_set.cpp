// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/instruction_set.h"

#include <oneapi/dnnl/dnnl.h>

#include "core/base/check.h"

namespace lockstep::tensor {

void holdLibraryToSoundInstructions() {
#if defined(__x86_64__)
    static const bool done = [] {
        if (!__builtin_cpu_supports("avx2") || __builtin_cpu_supports("avx512f")) return true;
        // Refused once anything has been computed: this came too late.
        return dnnl_set_max_cpu_isa(dnnl_cpu_isa_avx) == dnnl_success;
    }();
    LS_CHECK(done, "oneDNN was used before its instructions were chosen");
#endif
}

}  // namespace lockstep::tensor
