// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/gpu_support.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/plural.h"
#include "core/tensor/cuda_driver.h"
#include "core/tensor/cuda_module.h"

namespace lockstep::tensor {

namespace {

constexpr const char* kUseCpu = "Or use cluster.device = \"auto\" or \"cpu\".";

GpuSupport without(GpuSupport support, GpuState state, std::string sentence,
                   const std::string& remedy) {
    support.state = state;
    support.sentence = std::move(sentence);
    support.remedy = remedy + "\n" + kUseCpu;
    return support;
}

int capabilityOf(const GpuInfo& device) {
    return device.computeMajor * 10 + device.computeMinor;
}

GpuSupport withoutDriver(GpuSupport support, const Error& error) {
    if (error.code == ErrorCode::Unavailable)
        return without(
            std::move(support), GpuState::DriverMissing,
            fmt::format("there is no NVIDIA driver on this machine ({})", error.message),
            "Where there is an NVIDIA GPU, install its driver; nvidia-smi must list it.");
    return without(std::move(support), GpuState::DriverFailed,
                   fmt::format("the NVIDIA driver does not work: {}", error.message),
                   "Look at what nvidia-smi says; a driver that was updated needs a restart.");
}

GpuSupport withoutModule(GpuSupport support, const Error& error) {
    const auto state =
        error.code == ErrorCode::NotFound ? GpuState::ModuleAbsent : GpuState::ModuleBroken;
    const std::string remedy =
        error.remedy.empty() ? "Install the CUDA runtime, cuBLAS and NCCL, or set LD_LIBRARY_PATH."
                             : error.remedy;
    return without(std::move(support), state, error.message, remedy);
}

std::string versionText(int version) {
    return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

}  // namespace

Error GpuSupport::toError() const {
    return {ErrorCode::BadInput, "cluster.device = \"gpu\": " + sentence, remedy};
}

GpuSupport findGpuSupport(const GpuPlaces& places) {
    GpuSupport support;
    auto driver = askCudaDriver(places.driver);
    if (!driver) return withoutDriver(std::move(support), driver.error());
    support.driverVersion = driver->version;
    support.devices = std::move(driver->devices);
    if (support.devices.empty())
        return without(std::move(support), GpuState::NoDevice,
                       "the NVIDIA driver sees no GPU on this machine",
                       "Is there one in nvidia-smi's list, and does CUDA_VISIBLE_DEVICES name it?");
    const GpuInfo& best = *std::ranges::max_element(support.devices, {}, capabilityOf);
    if (capabilityOf(best) < kOldestCapability)
        return without(std::move(support), GpuState::Unsupported,
                       fmt::format("the GPU {} has compute capability {}.{}, and Lockstep needs "
                                   "7.5 or higher",
                                   best.name, best.computeMajor, best.computeMinor),
                       "GPUs since the Turing generation (2018) have it.");
    const auto module = loadCudaModule(places.module);
    if (!module) return withoutModule(std::move(support), module.error());
    support.modulePath = module->library.name();
    const int runtime = module->table.runtimeVersion;
    if (support.driverVersion / 1000 < runtime / 1000) {
        const std::string installed = versionText(support.driverVersion);
        return without(std::move(support), GpuState::DriverTooOld,
                       fmt::format("the NVIDIA driver is for CUDA {}, and lockstep-cuda was built "
                                   "with CUDA {}",
                                   installed, versionText(runtime)),
                       "Update the driver, or build lockstep-cuda with the older CUDA.");
    }
    support.state = GpuState::Usable;
    support.sentence = fmt::format("{}: {}", counted(support.devices.size(), "GPU"), best.name);
    return support;
}

}  // namespace lockstep::tensor
