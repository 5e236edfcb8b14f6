// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/distribution/device_mesh.h"
#include "core/distribution/tensor_part.h"

namespace lockstep::fit {

/// One device of those that hold a part of a tensor alike, and its process: that one sends and
/// writes the part.
struct PartOwner {
    int process = 0;
    std::string device;
    distribution::TensorPart part;
    int copies = 1;  ///< Devices that hold it, this one among them.
};

/// Of every part that a layout makes of a tensor of this shape, each once, in the mesh's order.
/// BadInput as distribution::partOf(), and where the group has a device of the mesh no longer.
[[nodiscard]] Result<std::vector<PartOwner>> partOwners(const distribution::TensorLayout& layout,
                                                        const std::vector<std::uint64_t>& shape);

/// This process's devices of the mesh, in its order.
[[nodiscard]] Result<std::vector<std::string>> ownDevices(const distribution::DeviceMesh& mesh);

/// That the group which a tensor was distributed over has been left.
[[nodiscard]] tl::unexpected<Error> ofAnotherGroup(const std::string& device);

}  // namespace lockstep::fit
