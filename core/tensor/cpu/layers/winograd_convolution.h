// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/base/result.h"
#include "core/tensor/cpu/layers/convolution_shape.h"
#include "core/tensor/cpu/layers/vector_loops.h"

namespace lockstep::tensor {

/// A convolution by windows of 3 x 3 with a quarter of the multiplications (Winograd's minimal
/// filtering, tiles of 4 x 4 places; Lavin and Gray, "Fast algorithms for convolutional neural
/// networks", 2015): tiles are transformed, a block of them at a time, 36 products of matrices
/// follow, and what they give is transformed back. Results are within some 3e-6 of the largest one
/// of the exact ones, where a plain sum is within 1e-6. NaN and infinity spread over the tiles that
/// hold them. Its memory is the calling thread's, shared by all of that thread: 144 bytes for each
/// pair of a channel and a filter of the largest one, and some more. The operands as Convolution's.
class WinogradConvolution {
public:
    /// Windows of 3 x 3 without strides, dilation and groups; channels and filters in sixteens.
    [[nodiscard]] static bool takes(const ConvolutionShape& shape);

    /// `shape` must be one that it takes.
    explicit WinogradConvolution(const ConvolutionShape& shape, VectorIsa isa = bestIsa());

    /// Has the calling thread's memory be large enough. Unavailable where there is not as much.
    [[nodiscard]] Result<void> reserve() const;
    /// That it has to be.
    [[nodiscard]] std::size_t bytes() const;

    /// max(y, 0) where `relu`; NaN stays NaN.
    void forward(std::span<const float> x, std::span<const float> weight,
                 std::span<const float> bias, std::span<float> y, bool relu) const;
    void weightGradient(std::span<const float> x, std::span<const float> dy,
                        std::span<float> dWeight) const;
    void inputGradient(std::span<const float> dy, std::span<const float> weight,
                       std::span<float> dx) const;

private:
    ConvolutionShape shape_;
    VectorIsa isa_;
};

}  // namespace lockstep::tensor
