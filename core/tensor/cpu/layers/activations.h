// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/tensor/cpu/kernels.h"
#include "core/tensor/cpu/layers/vector_loops.h"
#include "core/tensor/matrix.h"

namespace lockstep::tensor {

/// Functions of one number.
enum class ElementFunction : std::uint8_t {
    Relu,       ///< max(x, 0)
    LeakyRelu,  ///< x, below 0 slope * x
    Gelu,       ///< x * (1 + erf(x / sqrt 2)) / 2
    GeluTanh,   ///< x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x³))) / 2
    Silu,       ///< x / (1 + exp(-x))
    Sigmoid,    ///< 1 / (1 + exp(-x))
    Tanh,
    Elu,  ///< x, below 0 slope * (exp(x) - 1)
};

/// Whether the gradient is computed from the function's result (relu, sigmoid, tanh) instead of its
/// argument (all others).
[[nodiscard]] constexpr bool gradientNeedsOutput(ElementFunction function) {
    return function == ElementFunction::Relu || function == ElementFunction::Sigmoid ||
           function == ElementFunction::Tanh;
}

/// y[i] = function(x[i]); `slope` is LeakyRelu's and Elu's. y may be x. NaN stays NaN.
void activate(ElementFunction function, float slope, std::span<const float> x, std::span<float> y,
              VectorIsa isa = bestIsa());

/// dx[i] = dy[i] * function'(…). `value` is y where gradientNeedsOutput, otherwise x. dx may be dy.
/// The derivative at a kink is the one below it, as in PyTorch: relu has 0 at 0.
void activationGradient(ElementFunction function, float slope, std::span<const float> dy,
                        std::span<const float> value, std::span<float> dx,
                        VectorIsa isa = bestIsa());

/// y = exp(x) / sum of the row's exp(x), row by row, shifted by the largest. y may be x.
void softmax(ConstMatrix x, Matrix y, VectorIsa isa = bestIsa());
/// From the result: dx = y * (dy - sum of the row's dy * y). dx may be dy.
void softmaxGradient(ConstMatrix dy, ConstMatrix y, Matrix dx, VectorIsa isa = bestIsa());

}  // namespace lockstep::tensor
