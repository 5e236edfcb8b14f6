// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace lockstep::tensor {

/// Rows and columns: {height, width}.
using Extent = std::array<std::size_t, 2>;

/// Where the windows of a convolution or a pooling stand on an image.
struct Window {
    Extent size{1, 1};
    Extent strides{1, 1};
    Extent dilation{1, 1};  ///< Distance between the window's taps; 1: they touch.
    Extent before{0, 0};    ///< Padding above and left of the image.
    Extent after{0, 0};     ///< Below and right of it.

    /// Places a window has on an image of `extent`; {0, 0} where the window does not fit or has a
    /// size, stride or dilation of 0.
    [[nodiscard]] constexpr Extent places(const Extent& extent) const {
        Extent found{};
        for (std::size_t axis = 0; axis < 2; ++axis) {
            if (size[axis] == 0 || strides[axis] == 0 || dilation[axis] == 0) return {};
            const std::size_t reach = (size[axis] - 1) * dilation[axis] + 1;
            const std::size_t padded = before[axis] + extent[axis] + after[axis];
            if (padded < reach) return {};
            found[axis] = (padded - reach) / strides[axis] + 1;
        }
        return found;
    }
    /// The row (axis 0) or column (axis 1) of the image below a tap of a window; beyond the image's
    /// extent, by wrapping too, where the tap is on padding.
    [[nodiscard]] constexpr std::size_t position(std::size_t axis, std::size_t place,
                                                 std::size_t tap) const {
        return place * strides[axis] + tap * dilation[axis] - before[axis];
    }
};

}  // namespace lockstep::tensor
