// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::tensor {

/// A GPU as the driver lists it.
struct GpuInfo {
    int index = 0;       ///< Among the devices that this process sees (CUDA_VISIBLE_DEVICES).
    std::string name;    ///< "NVIDIA H200".
    std::string uuid;    ///< "GPU-8d3e…": the same in every process, whatever it sees.
    std::string pciBus;  ///< "0000:3b:00.0".
    int computeMajor = 0;
    int computeMinor = 0;
    std::uint64_t memoryBytes = 0;
};

/// Why there is, or is not, a GPU to compute on.
enum class GpuState : std::uint8_t {
    Usable,
    DriverMissing,  ///< No libcuda.so.1 on this machine.
    DriverFailed,   ///< The driver's library is there and refuses to start.
    DriverTooOld,   ///< For the CUDA version that the module was built with.
    NoDevice,       ///< A driver, but no GPU that this process may see.
    Unsupported,    ///< Only GPUs below the oldest compute capability that we compile for.
    ModuleAbsent,   ///< lockstep-cuda is not installed.
    ModuleBroken,   ///< It is of another build, or a library that it needs is missing.
};

/// What this machine offers to train on, in a form that can be shown: by the worker when it
/// refuses a job, by `lockstep-worker --probe`, by the checks before a launch.
struct GpuSupport {
    GpuState state = GpuState::DriverMissing;
    std::string sentence;  ///< One sentence for people; also when usable.
    std::string remedy;    ///< What to do about it; empty when usable.
    std::vector<GpuInfo> devices;
    int driverVersion = 0;   ///< CUDA version of the driver: 13000 is 13.0. 0: no driver.
    std::string modulePath;  ///< Of the loaded module; empty when it is not loaded.

    [[nodiscard]] bool usable() const { return state == GpuState::Usable; }
    /// The sentence as the error of a job that asks for a GPU.
    [[nodiscard]] Error toError() const;
};

/// Where the parts lie; the defaults are right but in tests.
struct GpuPlaces {
    std::string driver = "libcuda.so.1";
    std::string module;  ///< Empty: beside the program, then ../lib/lockstep, then the loader's.
};

/// Compute capability 7.5 (Turing): the oldest that lockstep-cuda is compiled for.
inline constexpr int kOldestCapability = 75;

/// Looks for driver, devices and module, in this order: without a GPU there is nothing to install.
/// Initialises the driver (some 100 ms where there is one), so processes that only watch do not
/// call it: the desktop asks `lockstep-worker --probe`.
[[nodiscard]] GpuSupport findGpuSupport(const GpuPlaces& places = {});

}  // namespace lockstep::tensor
