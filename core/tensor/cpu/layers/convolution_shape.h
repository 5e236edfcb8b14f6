// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>

#include "core/tensor/cpu/layers/window.h"

namespace lockstep::tensor {

/// Images [batch, height, width, channels], weights [filters, channels / groups, window's height,
/// window's width], results [batch, height, width, filters] of the window's places.
struct ConvolutionShape {
    std::size_t batch = 1;
    std::size_t height = 1;
    std::size_t width = 1;
    std::size_t channels = 1;
    std::size_t filters = 1;
    Window window;
    /// Filters and channels are cut into as many parts; as many as channels: depthwise.
    std::size_t groups = 1;

    [[nodiscard]] Extent places() const { return window.places({height, width}); }
    [[nodiscard]] std::size_t channelsOfGroup() const { return channels / groups; }
    [[nodiscard]] std::size_t filtersOfGroup() const { return filters / groups; }
    [[nodiscard]] std::size_t imageSize() const { return height * width * channels; }
    [[nodiscard]] std::size_t inputSize() const { return batch * imageSize(); }
    [[nodiscard]] std::size_t placeCount() const { return places()[0] * places()[1]; }
    [[nodiscard]] std::size_t outputSize() const { return batch * placeCount() * filters; }
    [[nodiscard]] std::size_t weightSize() const {
        return filters * channelsOfGroup() * window.size[0] * window.size[1];
    }
    /// Of one pass, a multiply-add counted as two.
    [[nodiscard]] double flops() const {
        return 2.0 * static_cast<double>(batch * placeCount()) * static_cast<double>(weightSize());
    }
};

/// What a convolution computes: its result, and the two gradients.
enum class ConvolutionPass : unsigned char { Forward, WeightGradient, InputGradient };
constexpr std::initializer_list<ConvolutionPass> kAllConvolutionPasses = {
    ConvolutionPass::Forward, ConvolutionPass::WeightGradient, ConvolutionPass::InputGradient};

}  // namespace lockstep::tensor
