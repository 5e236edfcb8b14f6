// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/tensor/cpu/kernels.h"
#include "core/tensor/cpu/layers/vector_loops.h"
#include "core/tensor/cpu/layers/window.h"

namespace lockstep::tensor {

/// Images [batch, height, width, channels] and results of the window's places. Each window has to
/// cover at least one pixel (hasEmptyWindow says whether one does not).
struct PoolingShape {
    std::size_t batch = 1;
    std::size_t height = 1;
    std::size_t width = 1;
    std::size_t channels = 1;
    Window window;

    [[nodiscard]] Extent places() const { return window.places({height, width}); }
    [[nodiscard]] std::size_t inputSize() const { return batch * height * width * channels; }
    [[nodiscard]] std::size_t outputSize() const {
        return batch * places()[0] * places()[1] * channels;
    }
    /// Whether a window stands on padding alone, or none fits: there is nothing to pool.
    [[nodiscard]] bool hasEmptyWindow() const;
};

// Padding counts neither as a value of a maximum nor in an average. A sample's result does not
// depend on the others of the batch.

/// y = the largest below each window; NaN where one is. Then max(y, 0) where `relu`: the same as
/// relu before it, at fewer places.
void maxPooling(const PoolingShape& shape, std::span<const float> x, std::span<float> y,
                VectorIsa isa = bestIsa(), bool relu = false);
/// dx: each dy goes to the first pixel of its window, row by row, that holds y, as in PyTorch;
/// where `relu`, only where y is above 0. The pixel is found by comparing again: nothing is kept
/// from forward but x and y.
void maxPoolingGradient(const PoolingShape& shape, std::span<const float> x,
                        std::span<const float> y, std::span<const float> dy, std::span<float> dx,
                        VectorIsa isa = bestIsa(), bool relu = false);

/// y = the mean of the pixels below each window.
void averagePooling(const PoolingShape& shape, std::span<const float> x, std::span<float> y,
                    VectorIsa isa = bestIsa());
void averagePoolingGradient(const PoolingShape& shape, std::span<const float> dy,
                            std::span<float> dx, VectorIsa isa = bestIsa());

/// Rows of channels of each sample: [samples, places, channels] to [samples, channels].
struct GlobalPoolingShape {
    std::size_t samples = 1;
    std::size_t places = 1;
    std::size_t channels = 1;
};

void globalMaxPooling(const GlobalPoolingShape& shape, std::span<const float> x, std::span<float> y,
                      VectorIsa isa = bestIsa());
void globalMaxPoolingGradient(const GlobalPoolingShape& shape, std::span<const float> x,
                              std::span<const float> y, std::span<const float> dy,
                              std::span<float> dx, VectorIsa isa = bestIsa());
void globalAveragePooling(const GlobalPoolingShape& shape, std::span<const float> x,
                          std::span<float> y, VectorIsa isa = bestIsa());
void globalAveragePoolingGradient(const GlobalPoolingShape& shape, std::span<const float> dy,
                                  std::span<float> dx, VectorIsa isa = bestIsa());

}  // namespace lockstep::tensor
