// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/device_mesh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/base/try.h"
#include "core/distribution/devices.h"

namespace lockstep::distribution {

namespace {

std::string shown(const std::vector<int>& shape) {
    return fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
}

std::string shown(const std::vector<std::string>& names) {
    std::vector<std::string> quoted;
    for (const std::string& name : names)
        quoted.push_back("'" + name + "'");
    return fmt::format("[{}]", fmt::join(quoted, ", "));
}

tl::unexpected<Error> bad(std::string message) {
    return fail(ErrorCode::BadInput, std::move(message));
}

}  // namespace

Result<DeviceMesh> DeviceMesh::make(std::vector<int> shape, std::vector<std::string> axisNames,
                                    std::optional<std::vector<std::string>> devices) {
    const std::string received =
        fmt::format("Received: shape={}, axis_names={}", shown(shape), shown(axisNames));
    if (shape.empty() || axisNames.empty())
        return bad("Shape and axis_names cannot be empty. " + received);
    if (shape.size() != axisNames.size())
        return bad("Shape and axis_names should have same size. " + received);
    if (std::ranges::min(shape) < 1) return bad("Shape must have positive sizes. " + received);
    if (!devices) {
        devices = TRY(listDevices());
    }
    const auto wanted = std::accumulate(
        shape.begin(), shape.end(), std::size_t{1},
        [](std::size_t product, int size) { return product * static_cast<std::size_t>(size); });
    if (wanted != devices->size())
        return bad(fmt::format(
            "Shape does not match the number of devices. Received: shape={}; devices.shape=({},)",
            shown(shape), devices->size()));
    for (std::size_t i = 0; i < devices->size(); ++i)
        if (std::count(devices->begin(), devices->end(), (*devices)[i]) > 1)
            return bad(fmt::format("A device mesh has each device once. Received: devices={}",
                                   shown(*devices)));
    DeviceMesh mesh;
    mesh.shape_ = std::move(shape);
    mesh.axisNames_ = std::move(axisNames);
    mesh.devices_ = std::move(*devices);
    return mesh;
}

int DeviceMesh::sizeOf(const std::string& axisName) const {
    const auto found = std::ranges::find(axisNames_, axisName);
    if (found == axisNames_.end()) return 0;
    return shape_[static_cast<std::size_t>(found - axisNames_.begin())];
}

Result<TensorLayout> TensorLayout::make(Axes axes, const DeviceMesh& mesh) {
    for (const auto& axis : axes) {
        if (!axis || mesh.sizeOf(*axis) > 0) continue;
        std::vector<std::string> got;
        for (const auto& name : axes)
            got.push_back(name.value_or("None"));
        return bad(fmt::format("Invalid axis names for Layout. Valid axis names: {}, Got {}",
                               shown(mesh.axisNames()), shown(got)));
    }
    return TensorLayout(std::move(axes), mesh);
}

bool TensorLayout::isReplicated() const {
    return std::ranges::none_of(axes_, [](const auto& axis) { return axis.has_value(); });
}

}  // namespace lockstep::distribution
