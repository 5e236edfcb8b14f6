// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/tensor/gpu_support.h"

namespace lockstep::tensor {

/// What the driver says about itself and its devices.
struct DriverFacts {
    int version = 0;  ///< 13000 is CUDA 13.0.
    std::vector<GpuInfo> devices;
};

/// Asks the driver's library, loaded from `library`, through declarations of our own: neither the
/// toolkit nor the module is needed. Unavailable: there is no such library. Io: it does not work,
/// with its own error code in the message. A machine without GPUs has no devices, which is no
/// error.
[[nodiscard]] Result<DriverFacts> askCudaDriver(const std::string& library);

}  // namespace lockstep::tensor
