// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/local_devices.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string>

#include "core/base/ids.h"
#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/text/plain_text.h"

namespace lockstep::distribution {

namespace {

constexpr std::size_t kMostText = 200;

wire::Device deviceOf(const tensor::GpuInfo& gpu) {
    wire::Device device;
    device.set_type("gpu");
    device.set_local_id(static_cast<std::uint32_t>(gpu.index));
    // A driver that does not tell it: the slot names it on this machine.
    device.set_uuid(gpu.uuid.empty() ? hostName() + "/" + gpu.pciBus : gpu.uuid);
    device.set_name(sanitizeLine(gpu.name, kMostText));
    device.set_memory_bytes(gpu.memoryBytes);
    return device;
}

/// As the kernel calls it.
std::string processorName() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(':');
        if (line.starts_with("model name") && colon != std::string::npos)
            return sanitizeLine(std::string(config::trimmed(line.substr(colon + 1))), kMostText);
    }
    return "CPU";
}

std::uint64_t machineMemory() {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long size = ::sysconf(_SC_PAGESIZE);
    if (pages <= 0 || size <= 0) return 0;
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size);
}

void addCpus(int count, wire::Register& self) {
    wire::Device device;
    device.set_type("cpu");
    device.set_name(processorName());
    device.set_memory_bytes(machineMemory());
    for (int id = 0; id < count; ++id) {
        device.set_local_id(static_cast<std::uint32_t>(id));
        *self.add_devices() = device;
    }
}

bool areThere(const std::vector<int>& ids, const tensor::GpuSupport& support) {
    return std::ranges::all_of(ids, [&](int id) {
        return std::ranges::find(support.devices, id, &tensor::GpuInfo::index) !=
               support.devices.end();
    });
}

Result<void> addGpus(const std::vector<int>& ids, const tensor::GpuSupport& support,
                     wire::Register& self) {
    for (const int id : ids) {
        const auto found = std::ranges::find(support.devices, id, &tensor::GpuInfo::index);
        if (found == support.devices.end())
            return fail(
                ErrorCode::BadInput,
                fmt::format("local_device_ids names GPU {}, and this process sees {}, numbered "
                            "from 0",
                            id, counted(support.devices.size(), "GPU")),
                "CUDA_VISIBLE_DEVICES hides GPUs, and numbers those that are left anew.");
        *self.add_devices() = deviceOf(*found);
    }
    return {};
}

}  // namespace

Result<void> addDevices(const tensor::GpuSupport& support, const GpuWish& wish, int cpus,
                        bool share, wire::Register& self) {
    const bool one = share || self.replicas() <= 1;  // several replicas would share that GPU
    const bool placed = one && !wish.byLauncher.empty() && areThere(wish.byLauncher, support);
    std::vector<int> ids;
    for (const tensor::GpuInfo& gpu : support.devices)
        ids.push_back(gpu.index);
    if (!wish.chosen.empty())
        ids = wish.chosen;
    else if (!wish.allowed.empty())
        ids = wish.allowed;
    else if (placed)
        ids = wish.byLauncher;
    const bool chosen = !wish.chosen.empty() || (wish.allowed.empty() && placed);
    if (share)
        self.set_gpu_claim(chosen ? wire::GPU_CLAIM_ALL_CHOSEN : wire::GPU_CLAIM_SHARE);
    else
        self.set_gpu_claim(chosen ? wire::GPU_CLAIM_CHOSEN : wire::GPU_CLAIM_REPLICAS);
    if (support.usable())
        TRY(addGpus(ids, support, self));
    else
        self.set_without_gpus(sanitizeLine(support.sentence, kMostText * 2));
    addCpus(cpus, self);
    return {};
}

}  // namespace lockstep::distribution
