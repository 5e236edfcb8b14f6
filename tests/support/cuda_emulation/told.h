// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver_types.h>

namespace cuda_emulation {

/// `code`, which becomes the thread's last error if it is one. (NotReady is none.)
cudaError_t told(cudaError_t code);

}  // namespace cuda_emulation
