// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omp.h>

#include "core/tensor/cpu/instruction_set.h"

namespace lockstep::tensor {

/// Before each call of oneDNN: it takes its number of threads from OpenMP, which keeps it for each
/// calling thread.
inline void keepLibraryToThisThread() {
    thread_local const bool done = [] {
        omp_set_num_threads(1);
        holdLibraryToSoundInstructions();
        return true;
    }();
    static_cast<void>(done);
}

}  // namespace lockstep::tensor
