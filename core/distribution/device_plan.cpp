// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/device_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/plural.h"
#include "core/base/text.h"
#include "core/base/try.h"
#include "core/distribution/devices.h"

namespace lockstep::distribution {

namespace {

std::string hostOf(const std::vector<DeviceInfo>& devices, std::size_t process) {
    const auto found =
        std::ranges::find(devices, static_cast<int>(process), &DeviceInfo::processId);
    return found == devices.end() ? std::string("without devices") : found->host;
}

/// "undefined behaviour" elsewhere; here a sentence that names who differs.
Result<void> checkEqual(const DevicePlan& plan, const std::vector<DeviceInfo>& devices) {
    for (std::size_t process = 0; process < plan.localIds.size(); ++process) {
        const std::size_t count = plan.localIds[process].size();
        const std::size_t first = plan.localIds.front().size();
        if (count == first && count > 0) continue;
        return fail(
            ErrorCode::BadInput,
            fmt::format("every process must have the same number of devices: process 0 "
                        "({}) has {}, process {} ({}) has {}",
                        hostOf(devices, 0), first, process, hostOf(devices, process), count),
            "Give all processes as many as the one that has the fewest, and at least one.");
    }
    return {};
}

}  // namespace

Result<DevicePlan> planDevices(const Distribution& distribution) {
    const std::vector<std::string>& mesh = distribution.deviceMesh().devices();
    DevicePlan plan;
    plan.type = mesh.front().substr(0, mesh.front().find(':'));
    plan.localIds.resize(static_cast<std::size_t>(distribution.numProcesses()));
    const auto devices = TRY(describeDevices(plan.type));
    for (const std::string& id : mesh) {
        const auto found = std::ranges::find(devices, id, &DeviceInfo::id);
        if (found == devices.end())
            return fail(ErrorCode::BadInput,
                        fmt::format("'{}' is none of the cluster's devices of type {}",
                                    sanitizeLine(id, 40), plan.type),
                        "The devices of a mesh are of one type, and of the group that there is.");
        const auto process = static_cast<std::size_t>(found->processId);
        if (process >= plan.localIds.size())
            return fail(ErrorCode::BadInput,
                        fmt::format("'{}' is of process {} now, and the distribution was made for "
                                    "{}",
                                    sanitizeLine(id, 40), process,
                                    counted(plan.localIds.size(), "process")),
                        "Make it after initialize(), and call shutdown() after the last fit().");
        plan.localIds[process].push_back(found->localId);
    }
    TRY(checkEqual(plan, devices));
    return plan;
}

}  // namespace lockstep::distribution
