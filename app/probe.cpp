// SPDX-License-Identifier: Apache-2.0
#include "app/probe.h"

#include <cstdio>

#include "core/base/thread.h"
#include "core/tensor/gpu_support.h"
#include "core/text/json.h"
#include "core/train/worker.h"

namespace lockstep::app {

namespace {

using text::Json;

const char* wordOf(tensor::GpuState state) {
    switch (state) {
        case tensor::GpuState::Usable:
            return "usable";
        case tensor::GpuState::DriverMissing:
            return "driver_missing";
        case tensor::GpuState::DriverFailed:
            return "driver_failed";
        case tensor::GpuState::DriverTooOld:
            return "driver_too_old";
        case tensor::GpuState::NoDevice:
            return "no_device";
        case tensor::GpuState::Unsupported:
            return "unsupported";
        case tensor::GpuState::ModuleAbsent:
            return "module_absent";
        case tensor::GpuState::ModuleBroken:
            return "module_broken";
    }
    return "unknown";
}

Json describe(const tensor::GpuInfo& gpu) {
    return Json::object({{"index", gpu.index},
                         {"name", gpu.name},
                         {"uuid", gpu.uuid},
                         {"pci_bus", gpu.pciBus},
                         {"compute_capability", std::to_string(gpu.computeMajor) + "." +
                                                    std::to_string(gpu.computeMinor)},
                         {"memory_bytes", gpu.memoryBytes}});
}

}  // namespace

int printProbe() {
    const tensor::GpuSupport support = tensor::findGpuSupport();
    Json found;
    found["build"] = train::buildId();
    found["processors"] = availableProcessors();
    found["gpus"] = Json::List();
    for (const tensor::GpuInfo& gpu : support.devices)
        found["gpus"].push(describe(gpu));
    found["gpu_state"] = wordOf(support.state);
    found["gpu_sentence"] = support.sentence;
    found["gpu_remedy"] = support.remedy;
    found["cuda_driver_version"] = support.driverVersion;
    found["cuda_module"] = support.modulePath;
    std::printf("%s\n", found.text().c_str());
    return 0;
}

}  // namespace lockstep::app
