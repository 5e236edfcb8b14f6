// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/tensor/cpu/layers/window.h"
#include "core/tensor/matrix.h"

namespace lockstep::tensor {

// Numbers that go to other places. Results do not overlap operands.

/// [batch, height, width, channels].
struct ImageShape {
    std::size_t batch = 1;
    std::size_t height = 1;
    std::size_t width = 1;
    std::size_t channels = 1;

    [[nodiscard]] std::size_t size() const { return batch * height * width * channels; }
};

/// y: x with rows and columns of zeros around it. `shape` is x's.
void zeroPadding(const ImageShape& shape, const Extent& before, const Extent& after,
                 std::span<const float> x, std::span<float> y);
/// dx: what is not padding of dy.
void zeroPaddingGradient(const ImageShape& shape, const Extent& before, const Extent& after,
                         std::span<const float> dy, std::span<float> dx);

/// y: each pixel of x factor[0] x factor[1] times. `shape` is x's.
void upSampling(const ImageShape& shape, const Extent& factor, std::span<const float> x,
                std::span<float> y);
/// dx: sums over what each pixel became, row by row.
void upSamplingGradient(const ImageShape& shape, const Extent& factor, std::span<const float> dy,
                        std::span<float> dx);

/// y [batch, channels, places] of x [batch, places, channels], as PyTorch flattens images.
void toChannelsFirst(std::size_t batch, std::size_t places, std::size_t channels,
                     std::span<const float> x, std::span<float> y);
/// The way back, which is the gradient of it, too.
void toChannelsLast(std::size_t batch, std::size_t places, std::size_t channels,
                    std::span<const float> x, std::span<float> y);

/// Columns [first, first + part's columns) of `whole` become `part`: a call for each operand joins
/// them along the last dimension.
void putColumns(ConstMatrix part, std::size_t first, Matrix whole);
/// The way back, which is the gradient of it, too.
void takeColumns(ConstMatrix whole, std::size_t first, Matrix part);

}  // namespace lockstep::tensor
