// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/model/operations.h"
#include "core/tensor/cpu/layers/window.h"

namespace lockstep::program {

/// A node's shape as an image: a sequence has a height of one, a row is a single place.
struct ImageShape {
    explicit ImageShape(const model::Shape& shape) {
        const std::size_t rank = shape.size();
        if (rank > 0) channels = static_cast<std::size_t>(shape[rank - 1]);
        if (rank > 1) width = static_cast<std::size_t>(shape[rank - 2]);
        for (std::size_t i = 0; i + 2 < rank; ++i)
            height *= static_cast<std::size_t>(shape[i]);
    }

    [[nodiscard]] std::size_t places() const { return height * width; }
    [[nodiscard]] std::size_t size() const { return places() * channels; }

    std::size_t height = 1;
    std::size_t width = 1;
    std::size_t channels = 1;
};

[[nodiscard]] inline tensor::Extent extentOf(const model::Extent& extent) {
    return {static_cast<std::size_t>(extent[0]), static_cast<std::size_t>(extent[1])};
}

[[nodiscard]] inline tensor::Window windowOf(const model::Window& window) {
    return {extentOf(window.size), extentOf(window.strides), extentOf(window.dilation),
            extentOf(window.before), extentOf(window.after)};
}

}  // namespace lockstep::program
