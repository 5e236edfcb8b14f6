// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/text.h"
#include "core/base/try.h"
#include "core/distribution/process_state.h"

namespace lockstep::distribution {

namespace {

constexpr int kMaxCpuDevices = 1024;

/// Of the whole group, or of this process alone.
int cpuDevices() {
    const ProcessState& state = ProcessState::instance();
    const auto group = state.group();
    if (!group) return state.cpuDevices();
    int count = 0;
    for (const wire::Member& member : group->roster().members())
        count += static_cast<int>(member.replicas());
    return count;
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

Result<std::vector<std::string>> listDevices(std::string_view deviceType) {
    std::string type(deviceType);
    std::ranges::transform(type, type.begin(), [](unsigned char c) { return std::tolower(c); });
    TRY(checkType(type));
    ProcessState::instance().noteDevicesUsed();
    std::vector<std::string> devices;
    if (type == "gpu") return devices;  // training runs on the CPU
    for (int id = 0; id < cpuDevices(); ++id)
        devices.push_back(fmt::format("cpu:{}", id));
    return devices;
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
