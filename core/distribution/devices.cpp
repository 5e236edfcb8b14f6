// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>

#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/coordination/state/device_assignment.h"
#include "core/distribution/local_devices.h"
#include "core/distribution/process_state.h"

namespace lockstep::distribution {

namespace {

constexpr int kMaxCpuDevices = 1024;

DeviceInfo infoOf(const wire::Device& device, int processId, const std::string& host) {
    return {.id = {},
            .type = device.type(),
            .processId = processId,
            .localId = static_cast<int>(device.local_id()),
            .host = host,
            .name = device.name(),
            .uuid = device.uuid(),
            .memoryBytes = device.memory_bytes()};
}

/// Of the whole group, or of this process alone.
std::vector<DeviceInfo> allDevices() {
    ProcessState& state = ProcessState::instance();
    std::vector<DeviceInfo> devices;
    if (const auto group = state.group()) {
        for (const wire::Member& member : group->roster().members())
            for (const wire::Device& device : member.devices()) {
                devices.push_back(
                    infoOf(device, static_cast<int>(member.process_id()), member.host()));
                devices.back().name = coordination::nameIn(member, device);
            }
        return devices;
    }
    wire::Register self;  // without a wish of its own nothing can be wrong with it
    std::ignore = addDevices(state.gpuSupport(), {}, state.cpuDevices(), true, self);
    for (const wire::Device& device : self.devices())
        devices.push_back(infoOf(device, 0, hostName()));
    return devices;
}

Result<void> checkType(const std::string& type) {
    if (type.empty() || type == "cpu" || type == "gpu") return {};
    if (type == "tpu")
        return fail(ErrorCode::BadInput, "device_type is 'tpu': there are no TPUs here",
                    "Use 'cpu' or 'gpu', or leave it out.");
    const std::vector<std::string> known{"cpu", "gpu"};
    const auto meant = nearestName(type, known);
    return fail(ErrorCode::BadInput,
                fmt::format("device_type is '{}', which is none of 'cpu' and 'gpu'",
                            sanitizeLine(type, 40)),
                meant ? fmt::format("Did you mean '{}'?", *meant) : std::string());
}

}  // namespace

Result<std::vector<DeviceInfo>> describeDevices(std::string_view deviceType) {
    std::string type(deviceType);
    std::ranges::transform(type, type.begin(), [](unsigned char c) { return std::tolower(c); });
    TRY(checkType(type));
    ProcessState::instance().noteDevicesUsed();
    std::vector<DeviceInfo> devices = allDevices();
    if (type.empty())
        type =
            std::ranges::find(devices, "gpu", &DeviceInfo::type) == devices.end() ? "cpu" : "gpu";
    std::erase_if(devices, [&](const DeviceInfo& device) { return device.type != type; });
    for (std::size_t id = 0; id < devices.size(); ++id)
        devices[id].id = fmt::format("{}:{}", type, id);
    return devices;
}

Result<std::vector<std::string>> listDevices(std::string_view deviceType) {
    std::vector<std::string> ids;
    for (const DeviceInfo& device : TRY(describeDevices(deviceType)))
        ids.push_back(device.id);
    return ids;
}

Result<int> deviceCount(std::string_view deviceType) {
    auto devices = TRY(listDevices(deviceType));
    return static_cast<int>(devices.size());
}

Result<void> setCpuDeviceCount(int count) {
    ProcessState& state = ProcessState::instance();
    if (count < 1 || count > kMaxCpuDevices)
        return fail(ErrorCode::BadInput, fmt::format("a process has 1 to {} CPU devices, not {}",
                                                     kMaxCpuDevices, count));
    if (state.devicesUsed() || state.group())
        return fail(ErrorCode::BadInput,
                    "the number of CPU devices must be set before devices are used and before "
                    "initialize()");
    state.setCpuDevices(count);
    return {};
}

}  // namespace lockstep::distribution
