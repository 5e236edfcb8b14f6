// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/tensor/cpu/layers/convolution_shape.h"

namespace lockstep::tensor {

/// A convolution as products of matrices, an image and a group at a time: what lies below each
/// place of the window becomes a row. For shapes and processors that oneDNN has no fast code for.
/// The operands as Convolution's.
class Im2colConvolution {
public:
    explicit Im2colConvolution(const ConvolutionShape& shape);

    /// Of its memory.
    [[nodiscard]] std::size_t bytes() const {
        return (columns_.size() + weight_.size() + total_.size() + result_.size()) * sizeof(float);
    }

    void forward(std::span<const float> x, std::span<const float> weight,
                 std::span<const float> bias, std::span<float> y);
    void weightGradient(std::span<const float> x, std::span<const float> dy,
                        std::span<float> dWeight);
    void inputGradient(std::span<const float> dy, std::span<const float> weight,
                       std::span<float> dx);

private:
    /// Numbers below one place of the window, of one group.
    [[nodiscard]] std::size_t depth() const;
    /// Calls visit(channels of the image's pixel or null on padding, row's part) for each tap.
    template <typename Pixels, typename Visit>
    void forEachTap(Pixels* image, std::size_t group, Visit visit);
    void gatherWeight(std::span<const float> weight, std::size_t group);
    void gatherColumns(const float* image, std::size_t group);
    void gatherResult(const float* dyOfImage, std::size_t group);

    ConvolutionShape shape_;
    std::vector<float> columns_;  ///< [places, depth]
    std::vector<float> weight_;   ///< [filters of a group, depth], taps before channels.
    std::vector<float> total_;    ///< As weight_: its gradient of all images.
    std::vector<float> result_;   ///< [places, filters of a group]
};

}  // namespace lockstep::tensor
