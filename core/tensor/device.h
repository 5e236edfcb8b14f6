// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/tensor/buffer.h"
#include "core/tensor/stream.h"

namespace lockstep::tensor {

class Ops;

enum class DeviceKind : std::uint8_t { Cpu, Cuda };

/// Who reads and writes a buffer.
enum class Memory : std::uint8_t {
    Device,       ///< Operations only.
    HostVisible,  ///< Operations, and the host after Stream::synchronize().
};

/// Where tensors live and operations run. May be used from several threads at once; buffers and
/// streams must not outlive it.
class Device {
public:
    virtual ~Device() = default;

    [[nodiscard]] virtual DeviceKind kind() const = 0;
    /// As in list_devices(): "cpu:0".
    [[nodiscard]] virtual std::string name() const = 0;
    /// `bytes` of zeros. Unavailable when there is not as much memory.
    [[nodiscard]] virtual Result<Buffer> allocate(std::size_t bytes,
                                                  Memory memory = Memory::Device) = 0;
    [[nodiscard]] virtual Result<std::unique_ptr<Stream>> makeStream() = 0;
    /// The operations; as long-lived as the device.
    [[nodiscard]] virtual Ops& ops() = 0;
};

/// The host's processor as device `cpu:<index>`: replicas of one process are numbered.
/// A replica computes on the one thread that calls it; only its caller decides about threads.
/// Threads that compute call flushDenormals() first.
[[nodiscard]] std::unique_ptr<Device> openCpuDevice(int index = 0);

/// Has the matrix products' code compiled, which costs the first step 25 ms otherwise: to be called
/// on a thread of its own while the process waits for something else. Any thread.
void warmUpCpu();

}  // namespace lockstep::tensor
