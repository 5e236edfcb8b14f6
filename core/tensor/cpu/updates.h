// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/tensor/cpu/kernels.h"
#include "core/tensor/update_settings.h"

// Updates that the CPU alone computes, in host memory, on the calling thread. Each gives the same
// bits on every instruction set and for every cut of the buffers, and returns the sums of the
// weights' bits that it has made on its way.
namespace lockstep::tensor {

/// v = rho * v + oneMinusRho * g * g; step = learningRate * g / sqrt(v + epsilon); with momentum
/// b = momentum * b + step; p -= b, else p -= step.
struct RmsPropSettings {
    float learningRate = 0;
    float rho = 0;
    float oneMinusRho = 0;
    float epsilon = 0;
    float momentum = 0;
};

/// p -= learningRate * sign(beta1 * m + oneMinusBeta1 * g); m = beta2 * m + oneMinusBeta2 * g.
struct LionSettings {
    float learningRate = 0;
    float beta1 = 0;
    float oneMinusBeta1 = 0;
    float beta2 = 0;
    float oneMinusBeta2 = 0;
};

/// What an update works on; `first` and `second` as the rule has state.
struct UpdateSpans {
    std::span<const float> gradients;
    std::span<float> parameters;
    std::span<float> first{};
    std::span<float> second{};
};

/// `first` is the momentum's buffer, empty without.
BitSums sgd(VectorIsa isa, const SgdSettings& settings, const UpdateSpans& spans);
BitSums adam(VectorIsa isa, const AdamSettings& settings, const UpdateSpans& spans);
/// b = momentum * b + g; p -= learningRate * (g + momentum * b).
BitSums sgdNesterov(VectorIsa isa, const SgdSettings& settings, const UpdateSpans& spans);
/// `second` is the momentum's buffer, empty without.
BitSums rmsProp(VectorIsa isa, const RmsPropSettings& settings, const UpdateSpans& spans);
BitSums lion(VectorIsa isa, const LionSettings& settings, const UpdateSpans& spans);

/// p -= share * p.
BitSums decay(VectorIsa isa, float share, std::span<float> parameters);
/// to = from * factor, within plus and minus `limit`; NaN stays NaN.
void scaleAndClip(VectorIsa isa, float factor, float limit, std::span<const float> from,
                  std::span<float> to);

/// The sum of the values' bits as whole numbers, modulo 2^32: another one whenever one value is.
[[nodiscard]] std::uint32_t sumOfBits(VectorIsa isa, std::span<const float> values);

/// A whole number below 2^128.
struct WideSum {
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    void add(std::uint64_t value) {
        low += value;
        high += low < value ? 1 : 0;
    }
    void add(const WideSum& other) {
        add(other.low);
        high += other.high;
    }
    [[nodiscard]] double toDouble() const {
        return static_cast<double>(high) * 0x1p64 + static_cast<double>(low);
    }
};

/// The bits of the largest |value|: of numbers the larger has the larger bits, infinity more than
/// any, and a NaN more than that.
[[nodiscard]] std::uint32_t largestMagnitude(VectorIsa isa, std::span<const float> values);
/// The unit for squares of values up to `magnitude`, which is finite and not 0: 2^-40 of the power
/// of two above the largest square.
[[nodiscard]] double unitOfSquares(std::uint32_t magnitude);
/// The sum of the values' squares, each rounded to a multiple of `unit`, in units. The rounding is
/// of each value alone, and the sum of whole numbers is exact: any order, any cut of the values
/// gives the same.
[[nodiscard]] WideSum sumOfSquares(VectorIsa isa, std::span<const float> values, double unit);

}  // namespace lockstep::tensor
