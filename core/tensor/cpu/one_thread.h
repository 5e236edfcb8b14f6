// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <omp.h>

namespace lockstep::tensor {

/// Before each call of oneDNN: it takes its number of threads from OpenMP, which keeps it for each
/// calling thread.
inline void keepLibraryToThisThread() {
    thread_local const bool done = [] {
        omp_set_num_threads(1);
        return true;
    }();
    static_cast<void>(done);
}

}  // namespace lockstep::tensor
