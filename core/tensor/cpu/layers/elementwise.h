// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "core/tensor/cpu/kernels.h"
#include "core/tensor/cpu/layers/vector_loops.h"
#include "core/tensor/matrix.h"

namespace lockstep::tensor {

// Operands have as many elements as each other; results may be one of the operands, and must not
// overlap them otherwise.

/// y = a + b.
void add(std::span<const float> a, std::span<const float> b, std::span<float> y,
         VectorIsa isa = bestIsa());
/// y = max(a + b, 0); NaN stays NaN.
void addRelu(std::span<const float> a, std::span<const float> b, std::span<float> y,
             VectorIsa isa = bestIsa());
/// y = a * b.
void multiply(std::span<const float> a, std::span<const float> b, std::span<float> y,
              VectorIsa isa = bestIsa());
/// Of y = a * b: da = dy * b, db = dy * a. dy may be one of da and db.
void multiplyGradient(std::span<const float> dy, std::span<const float> a, std::span<const float> b,
                      std::span<float> da, std::span<float> db, VectorIsa isa = bestIsa());
/// y = x * factor.
void scale(std::span<const float> x, float factor, std::span<float> y, VectorIsa isa = bestIsa());

/// y = max(x, 0); NaN stays NaN.
void reluForward(std::span<const float> x, std::span<float> y, VectorIsa isa = bestIsa());
/// dx = dy where y is above 0, otherwise 0.
void reluGradient(std::span<const float> dy, std::span<const float> y, std::span<float> dx,
                  VectorIsa isa = bestIsa());

/// The same of the sum of two gradients: dx = a + b where y is above 0, otherwise 0.
void addReluGradients(std::span<const float> a, std::span<const float> b, std::span<const float> y,
                      std::span<float> dx, VectorIsa isa = bestIsa());

/// y = x * scale + offset, channel by channel: both [channels], or both one value for all.
void affine(ConstMatrix x, std::span<const float> scale, std::span<const float> offset, Matrix y,
            VectorIsa isa = bestIsa());
/// Of affine: dx = dy * scale.
void affineGradient(ConstMatrix dy, std::span<const float> scale, Matrix dx,
                    VectorIsa isa = bestIsa());

}  // namespace lockstep::tensor
