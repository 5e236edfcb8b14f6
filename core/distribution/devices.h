// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"

namespace lockstep::distribution {

/// The devices of the whole cluster, "cpu:0" to "cpu:3" or "gpu:0" to "gpu:3": once initialize()
/// has formed a group the devices of all its processes in order of process id, numbered without
/// gaps; before, those of this process. `deviceType` is "cpu" or "gpu" in any case; empty: "gpu"
/// where there are any, else "cpu", never a mix. A type of which there are none gives an empty
/// list; "tpu" and unknown types are BadInput. (keras.distribution.list_devices)
///
/// Counts as a first use of devices: initialize() is refused afterwards.
[[nodiscard]] Result<std::vector<std::string>> listDevices(std::string_view deviceType = {});

/// The length of that list. (keras.distribution.get_device_count)
[[nodiscard]] Result<int> deviceCount(std::string_view deviceType = {});

/// How many CPU devices this process has, each of which trains one replica on a thread of its own:
/// 1 unless it is said here, before anything else of this folder. 1 to 1024, else BadInput.
/// (jax_num_cpu_devices; logical devices in TensorFlow)
[[nodiscard]] Result<void> setCpuDeviceCount(int count);

}  // namespace lockstep::distribution
