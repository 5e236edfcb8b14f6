// SPDX-License-Identifier: Apache-2.0
#include "core/fit/part_owners.h"

#include <algorithm>

#include "core/base/try.h"
#include "core/distribution/devices.h"
#include "core/distribution/initialize.h"

namespace lockstep::fit {

namespace {

Result<std::vector<distribution::DeviceInfo>> devicesLike(const distribution::DeviceMesh& mesh) {
    const std::string& first = mesh.devices().front();
    return distribution::describeDevices(first.substr(0, first.find(':')));
}

}  // namespace

Result<std::vector<PartOwner>> partOwners(const distribution::TensorLayout& layout,
                                          const std::vector<std::uint64_t>& shape) {
    const auto devices = TRY(devicesLike(layout.mesh()));
    std::vector<PartOwner> owners;
    for (const std::string& device : layout.mesh().devices()) {
        const auto part = TRY(distribution::partOf(layout, shape, device));
        if (const auto known = std::ranges::find(owners, part, &PartOwner::part);
            known != owners.end()) {
            ++known->copies;
            continue;
        }
        const auto found = std::ranges::find(devices, device, &distribution::DeviceInfo::id);
        if (found == devices.end()) return ofAnotherGroup(device);
        owners.push_back({found->processId, device, part});
    }
    return owners;
}

Result<std::vector<std::string>> ownDevices(const distribution::DeviceMesh& mesh) {
    const auto devices = TRY(devicesLike(mesh));
    std::vector<std::string> own;
    for (const std::string& device : mesh.devices()) {
        const auto found = std::ranges::find(devices, device, &distribution::DeviceInfo::id);
        if (found != devices.end() && found->processId == distribution::processId())
            own.push_back(device);
    }
    return own;
}

tl::unexpected<Error> ofAnotherGroup(const std::string& device) {
    return fail(ErrorCode::BadInput,
                "this tensor was distributed over devices that the processes have no longer (" +
                    device + ")",
                "Use it before shutdown(), in the group that distributed it.");
}

}  // namespace lockstep::fit
