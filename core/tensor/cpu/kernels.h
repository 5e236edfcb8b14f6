// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/tensor/update_settings.h"

namespace lockstep::tensor {

/// Vector instructions that the elementwise loops exist for, narrowest first.
enum class VectorIsa : std::uint8_t { Baseline, Avx2, Avx512 };

/// The elementwise loops, compiled for one instruction set. Every variant performs the same IEEE
/// operations in the same order on each element, so all give the same bits: no reassociated sums,
/// no contraction to fused multiply-add, no approximate reciprocals.
struct Kernels {
    /// to[i] = from[i] / 255.
    void (*scaleBytes)(const std::uint8_t* from, float* to, std::size_t count);
    /// y[r][c] += bias[c].
    void (*addBias)(float* y, const float* bias, std::size_t rows, std::size_t columns);
    /// y[r][c] = relu(y[r][c] + bias[c]); NaN stays NaN.
    void (*addBiasRelu)(float* y, const float* bias, std::size_t rows, std::size_t columns);
    /// sums[c] = sum over rows of values[r][c], in blocks of rows: the order depends on `rows`
    /// only.
    void (*columnSums)(const float* values, std::size_t rows, std::size_t columns, float* sums);
    /// p -= learningRate * g. As all updates, it gives the sums of its weights.
    BitSums (*sgd)(float learningRate, const float* g, float* p, std::size_t count);
    /// b = momentum * b + g; p -= learningRate * b.
    BitSums (*sgdMomentum)(const SgdSettings& settings, const float* g, float* p, float* b,
                           std::size_t count);
    BitSums (*adam)(const AdamSettings& settings, const float* g, float* p, float* m, float* v,
                    std::size_t count);
    bool (*allFinite)(const float* values, std::size_t count);
};

/// Variants that this processor can run, narrowest first; never empty.
[[nodiscard]] std::span<const VectorIsa> supportedIsas();
/// `isa` must be one of supportedIsas().
[[nodiscard]] const Kernels& kernelsFor(VectorIsa isa);
/// The widest variant.
[[nodiscard]] const Kernels& bestKernels();

}  // namespace lockstep::tensor
