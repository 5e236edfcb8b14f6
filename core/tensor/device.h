// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/tensor/buffer.h"

namespace lockstep::tensor {

/// Where a replica's tensors live. May be used from several threads at once.
class Device {
public:
    virtual ~Device() = default;

    /// As in list_devices(): "cpu:0".
    [[nodiscard]] virtual std::string name() const = 0;
    /// `bytes` of zeros. Unavailable when there is not as much memory.
    [[nodiscard]] virtual Result<Buffer> allocate(std::size_t bytes) = 0;
};

/// The host's processor as device `cpu:<index>`: replicas of one process are numbered.
/// A replica computes on the one thread that calls it; only its caller decides about threads.
/// Threads that compute call flushDenormals() first.
[[nodiscard]] std::unique_ptr<Device> openCpuDevice(int index = 0);

/// Has the matrix products' code compiled, which costs the first step 25 ms otherwise: to be called
/// on a thread of its own while the process waits for something else. Any thread.
void warmUpCpu();

}  // namespace lockstep::tensor
