// SPDX-License-Identifier: Apache-2.0
#include "core/distribution/device_mesh.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/base/text.h"
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

Result<void> checkAxes(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (name.empty())
            return bad("An axis of a mesh has a name. Received: axis_names=" + shown(names));
        if (std::ranges::count(names, name) > 1)
            return bad(fmt::format(
                "The axes of a mesh have different names. Received: axis_names={}", shown(names)));
    }
    return {};
}

/// Those of the first one's type are what the others are looked for in: a mesh has one type.
Result<void> checkDevices(const std::vector<std::string>& devices) {
    const std::string type = devices.front().substr(0, devices.front().find(':'));
    const auto known = listDevices(type == "gpu" || type == "cpu" ? type : "");
    if (!known) return fail(known.error());
    for (const std::string& device : devices)
        if (std::ranges::find(*known, device) == known->end())
            return fail(ErrorCode::BadInput,
                        fmt::format("'{}' is not a device of this cluster, which has {}",
                                    sanitizeLine(device, 40),
                                    known->empty() ? "none of this type" : joinWords(*known)),
                        "listDevices(\"cpu\") and listDevices(\"gpu\") name them; a mesh is of "
                        "one type. setCpuDeviceCount gives a process more CPU devices.");
    return {};
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
    TRY(checkAxes(axisNames));
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
    TRY(checkDevices(*devices));
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

std::optional<std::vector<int>> DeviceMesh::placeOf(const std::string& device) const {
    const auto found = std::ranges::find(devices_, device);
    if (found == devices_.end()) return std::nullopt;
    auto index = static_cast<int>(found - devices_.begin());
    std::vector<int> place(shape_.size());
    for (std::size_t axis = shape_.size(); axis-- > 0; index /= shape_[axis])
        place[axis] = index % shape_[axis];
    return place;
}

std::string DeviceMesh::text() const {
    return fmt::format("{} of {}: {}", shown(shape_), shown(axisNames_), shown(devices_));
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
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (axes[i] && std::count(axes.begin(), axes.end(), axes[i]) > 1)
            return bad(
                fmt::format("An axis of the mesh splits one dimension of a tensor: '{}' is "
                            "given {} times",
                            *axes[i], std::count(axes.begin(), axes.end(), axes[i])));
    return TensorLayout(std::move(axes), mesh);
}

std::string TensorLayout::text() const {
    std::vector<std::string> names;
    for (const auto& axis : axes_)
        names.push_back(axis ? "'" + *axis + "'" : "None");
    return fmt::format("({}{})", fmt::join(names, ", "), names.size() == 1 ? "," : "");
}

bool TensorLayout::isReplicated() const {
    return std::ranges::none_of(axes_, [](const auto& axis) { return axis.has_value(); });
}

}  // namespace lockstep::distribution
