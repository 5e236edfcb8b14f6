// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace lockstep::distribution {

/// Devices in a grid of named axes; a value. (keras.distribution.DeviceMesh)
class DeviceMesh {
public:
    /// `shape`: devices along each axis, row by row; `axisNames`: one for each; `devices`: as
    /// listDevices names them, all of them when absent. BadInput when they do not fit together, an
    /// axis is there twice or without a name, or a device is none that there is.
    [[nodiscard]] static Result<DeviceMesh> make(
        std::vector<int> shape, std::vector<std::string> axisNames,
        std::optional<std::vector<std::string>> devices = std::nullopt);

    [[nodiscard]] const std::vector<int>& shape() const { return shape_; }
    [[nodiscard]] const std::vector<std::string>& axisNames() const { return axisNames_; }
    [[nodiscard]] const std::vector<std::string>& devices() const { return devices_; }
    [[nodiscard]] int size() const { return static_cast<int>(devices_.size()); }
    /// Along one axis; 0 for an axis that it does not have.
    [[nodiscard]] int sizeOf(const std::string& axisName) const;
    /// Where a device stands along each axis; nothing for one that it does not have.
    [[nodiscard]] std::optional<std::vector<int>> placeOf(const std::string& device) const;
    /// "(2, 2) of ['batch', 'model']: ['cpu:0', 'cpu:1', 'cpu:2', 'cpu:3']".
    [[nodiscard]] std::string text() const;

    [[nodiscard]] bool operator==(const DeviceMesh&) const = default;

private:
    DeviceMesh() = default;

    std::vector<int> shape_;
    std::vector<std::string> axisNames_;
    std::vector<std::string> devices_;
};

/// Which axis of a mesh each dimension of a tensor is split along; absent: it is not split, every
/// device has all of it. A value. (keras.distribution.TensorLayout)
class TensorLayout {
public:
    using Axes = std::vector<std::optional<std::string>>;

    /// BadInput for an axis that the mesh does not have, and for one that is there twice: it would
    /// split two dimensions by one place in the mesh.
    [[nodiscard]] static Result<TensorLayout> make(Axes axes, const DeviceMesh& mesh);

    [[nodiscard]] const Axes& axes() const { return axes_; }
    [[nodiscard]] const DeviceMesh& mesh() const { return mesh_; }
    [[nodiscard]] bool isReplicated() const;
    /// "(None, 'model')".
    [[nodiscard]] std::string text() const;

    [[nodiscard]] bool operator==(const TensorLayout&) const = default;

private:
    TensorLayout(Axes axes, DeviceMesh mesh) : axes_(std::move(axes)), mesh_(std::move(mesh)) {}

    Axes axes_;
    DeviceMesh mesh_;
};

}  // namespace lockstep::distribution
