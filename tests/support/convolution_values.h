// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "core/tensor/cpu/layers/convolution_shape.h"
#include "tests/support/layer_values.h"

namespace lockstep::testing {

using tensor::ConvolutionShape;
using tensor::Extent;
using tensor::Window;

inline ConvolutionShape shapeOf(std::size_t batch, Extent image, std::size_t channels,
                                std::size_t filters, Window window, std::size_t groups = 1) {
    return {.batch = batch,
            .height = image[0],
            .width = image[1],
            .channels = channels,
            .filters = filters,
            .window = window,
            .groups = groups};
}

/// A window of 3 x 3 that tiles may take.
inline ConvolutionShape tileShape(std::size_t batch, Extent image, std::size_t channels,
                                  std::size_t filters, Extent before, Extent after) {
    return shapeOf(batch, image, channels, filters,
                   {.size = {3, 3}, .before = before, .after = after});
}

struct Operands {
    Floats x, weight, bias, dy;
    explicit Operands(const ConvolutionShape& shape)
        : x(randomFloats(shape.inputSize(), 1)),
          weight(randomFloats(shape.weightSize(), 2)),
          bias(randomFloats(shape.filters, 3)),
          dy(randomFloats(shape.outputSize(), 4)) {}
};

/// Calls visit(element of the images, of the weights, of the results) for each product.
template <typename Visit>
void forEachProduct(const ConvolutionShape& s, Visit visit) {
    const Extent places = s.places();
    const std::size_t perGroup = s.channelsOfGroup();
    for (std::size_t n = 0; n < s.batch; ++n)
        for (std::size_t row = 0; row < places[0]; ++row)
            for (std::size_t column = 0; column < places[1]; ++column)
                for (std::size_t f = 0; f < s.filters; ++f)
                    for (std::size_t c = 0; c < perGroup; ++c)
                        for (std::size_t i = 0; i < s.window.size[0]; ++i)
                            for (std::size_t j = 0; j < s.window.size[1]; ++j) {
                                const auto y = static_cast<long>(row * s.window.strides[0] +
                                                                 i * s.window.dilation[0]) -
                                               static_cast<long>(s.window.before[0]);
                                const auto x = static_cast<long>(column * s.window.strides[1] +
                                                                 j * s.window.dilation[1]) -
                                               static_cast<long>(s.window.before[1]);
                                if (y < 0 || x < 0 || y >= static_cast<long>(s.height) ||
                                    x >= static_cast<long>(s.width))
                                    continue;
                                const std::size_t group = f / s.filtersOfGroup();
                                visit(
                                    ((n * s.height + static_cast<std::size_t>(y)) * s.width +
                                     static_cast<std::size_t>(x)) *
                                            s.channels +
                                        group * perGroup + c,
                                    ((f * perGroup + c) * s.window.size[0] + i) * s.window.size[1] +
                                        j,
                                    ((n * places[0] + row) * places[1] + column) * s.filters + f);
                            }
}

/// What the three passes give.
struct Expected {
    Doubles y, dWeight, dBias, dx;
    Expected(const ConvolutionShape& s, const Operands& o)
        : y(s.outputSize()), dWeight(s.weightSize()), dBias(s.filters), dx(s.inputSize()) {
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] = static_cast<double>(o.bias[i % s.filters]);
            dBias[i % s.filters] += static_cast<double>(o.dy[i]);
        }
        forEachProduct(s, [&](std::size_t image, std::size_t weight, std::size_t result) {
            y[result] += static_cast<double>(o.x[image]) * static_cast<double>(o.weight[weight]);
            dWeight[weight] += static_cast<double>(o.x[image]) * static_cast<double>(o.dy[result]);
            dx[image] += static_cast<double>(o.dy[result]) * static_cast<double>(o.weight[weight]);
        });
    }
};

/// The three passes of any of the classes.
struct Found {
    Floats y, dWeight, dBias, dx;
    explicit Found(const ConvolutionShape& s)
        : y(s.outputSize(), 7),
          dWeight(s.weightSize(), 7),
          dBias(s.filters, 7),
          dx(s.inputSize(), 7) {}
};

inline constexpr double kTolerance = 2e-6;
/// Of tiles, which are within 3e-6 of the largest.
inline constexpr double kTileTolerance = 6e-6;

}  // namespace lockstep::testing
