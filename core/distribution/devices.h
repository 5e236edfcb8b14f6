// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep::distribution {

/// A device of the cluster.
struct DeviceInfo {
    std::string id;    ///< "gpu:5": of its type, numbered over all processes without gaps.
    std::string type;  ///< "cpu" or "gpu".
    int processId = 0;
    int localId = 0;                ///< Among the devices of its type that its process sees.
    std::string host;               ///< As it calls itself.
    std::string name;               ///< "NVIDIA H200"; a processor's own name.
    std::string uuid;               ///< Of a GPU, the same in every process; of a CPU empty.
    std::uint64_t memoryBytes = 0;  ///< A GPU's own, a CPU's machine's; 0: not known.
};

/// The devices of the whole cluster, "cpu:0" to "cpu:3" or "gpu:0" to "gpu:3": once initialize()
/// has formed a group those that its processes use, in order of process id, numbered without gaps;
/// before, those of this process. `deviceType` is "cpu" or "gpu" in any case; empty: "gpu" where
/// there are any, else "cpu", never a mix. A type of which there are none gives an empty list;
/// "tpu" and unknown types are BadInput. (keras.distribution.list_devices)
///
/// Counts as a first use of devices: initialize() is refused afterwards.
[[nodiscard]] Result<std::vector<std::string>> listDevices(std::string_view deviceType = {});

/// The length of that list. (keras.distribution.get_device_count)
[[nodiscard]] Result<int> deviceCount(std::string_view deviceType = {});

/// What is known of each of them, in the same order.
[[nodiscard]] Result<std::vector<DeviceInfo>> describeDevices(std::string_view deviceType = {});

/// How many CPU devices this process has, each of which trains one replica on a thread of its own:
/// 1 unless it is said here, before anything else of this folder. 1 to 1024, else BadInput.
/// (jax_num_cpu_devices; logical devices in TensorFlow)
[[nodiscard]] Result<void> setCpuDeviceCount(int count);

}  // namespace lockstep::distribution
