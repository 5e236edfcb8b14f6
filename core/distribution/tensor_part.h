// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/distribution/device_mesh.h"

namespace lockstep::distribution {

/// The block that one device holds of a tensor.
struct TensorPart {
    std::vector<std::uint64_t> begin;  ///< Of each dimension, within the whole tensor.
    std::vector<std::uint64_t> shape;

    /// Whether all of `other` lies within it; both of the same tensor.
    [[nodiscard]] bool contains(const TensorPart& other) const;
    [[nodiscard]] bool operator==(const TensorPart&) const = default;
};

/// What `device` holds of a tensor of this shape: its place along an axis of the mesh says which of
/// the equal stretches of the dimension that lies along it. Dimensions behind the layout's last
/// axis are not cut. BadInput: the device is not of the mesh, the layout has more axes than the
/// tensor dimensions, or a dimension does not divide.
[[nodiscard]] Result<TensorPart> partOf(const TensorLayout& layout,
                                        const std::vector<std::uint64_t>& shape,
                                        const std::string& device);

}  // namespace lockstep::distribution
