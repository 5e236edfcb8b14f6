// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "core/tensor/cpu/layers/vector_loops.h"

// exp, expm1, tanh and erf of floats by additions, multiplications, divisions and selections alone,
// so that a loop with them fills vectors and gives the same bits with every instruction set, every
// compiler and every C library. Errors as measured against doubles over all of the range (see
// tst_activations), in units of the last place where the result is normal: exp 0.96, expm1 0.90,
// erf 1.14, tanh 1.27, sigmoid 2.32. NaN gives NaN.

namespace lockstep::tensor::elementary {

/// x = steps * ln 2 + rest, |rest| <= ln 2 / 2.
struct Reduced {
    float rest;
    std::uint32_t steps;  ///< Two's complement.
};

static LS_LOOP Reduced reduce(float x) {
    constexpr float kLog2E = 0x1.715476p+0F;
    constexpr float kRound = 0x1.8p+23F;  // What is added to it loses its fraction.
    // ln 2 in two parts; the product of the first and a step count is exact.
    constexpr float kHigh = 0x1.62ep-1F;
    constexpr float kLow = 0x1.0bfbe8p-15F;
    const float shifted = x * kLog2E + kRound;
    const float steps = shifted - kRound;
    return {x - steps * kHigh - steps * kLow,
            std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(kRound)};
}

/// exp(rest) - 1 for |rest| <= ln 2 / 2.
static LS_LOOP float expm1Rest(float r) {
    float p = 0x1.6850e4p-10F;
    p = p * r + 0x1.123bccp-7F;
    p = p * r + 0x1.555b98p-5F;
    p = p * r + 0x1.55548ep-3F;
    p = p * r + 0x1.fffff8p-2F;
    return p * (r * r) + r;
}

static LS_LOOP float powerOfTwo(std::uint32_t exponent) {
    return std::bit_cast<float>((exponent + 127U) << 23U);
}

static LS_LOOP float exponential(float x) {
    // Beyond these the result is infinity and zero, which the scaling in two steps gives.
    float clipped = x > 89.0F ? 89.0F : x;
    clipped = clipped < -105.0F ? -105.0F : clipped;
    const Reduced reduced = reduce(clipped);
    const float value = expm1Rest(reduced.rest) + 1.0F;
    // Arithmetic shift: the halves are of the sign of the whole.
    const auto half = static_cast<std::uint32_t>(static_cast<std::int32_t>(reduced.steps) >> 1);
    return value * powerOfTwo(half) * powerOfTwo(reduced.steps - half);
}

/// exp(x) - 1 without cancellation near 0, for x <= 0 (what elu needs).
static LS_LOOP float expMinusOne(float x) {
    const float clipped = x < -20.0F ? -20.0F : x;
    const Reduced reduced = reduce(clipped);
    const float power = powerOfTwo(reduced.steps);
    const float rest = expm1Rest(reduced.rest);
    return reduced.steps == 0 ? rest : rest * power + (power - 1.0F);
}

static LS_LOOP float sigmoid(float x) {
    const float e = exponential(-std::fabs(x));  // Never overflows.
    const float numerator = x < 0.0F ? e : 1.0F;
    return numerator / (1.0F + e);
}

static LS_LOOP float tangent(float x) {
    const float size = std::fabs(x);
    const float z = x * x;
    float p = -5.70498872745e-3F;
    p = p * z + 2.06390887954e-2F;
    p = p * z - 5.37397155531e-2F;
    p = p * z + 1.33314422036e-1F;
    p = p * z - 3.33332819422e-1F;
    const float small = p * z * x + x;
    const float large = std::copysign(1.0F - 2.0F / (exponential(2.0F * size) + 1.0F), x);
    return size < 0.625F ? small : large;
}

static LS_LOOP float errorFunction(float x) {
    const float t = std::fabs(x);
    const float s = x * x;
    float small = -0x1.38ep-11F;
    small = small * s + 0x1.471a58p-8F;
    small = small * s - 0x1.b691b2p-6F;
    small = small * s + 0x1.ce1c44p-4F;
    small = small * s - 0x1.8127p-2F;
    small = small * s + 0x1.06eba8p-3F;
    small = small * x + x;
    // 1 - exp of a polynomial.
    float p = -0x1.22p-16F * t + 0x1.91cfb2p-12F;
    const float u = -0x1.fd1438p-9F * t + 0x1.8d6342p-6F;
    p = p * s + u;
    p = p * t - 0x1.b55cb8p-4F;
    p = p * t - 0x1.450aa0p-1F;
    p = p * t - 0x1.079d0cp-3F;
    p = p * t - t;
    // Beyond 4 the result is 1, and the polynomial is not what it was fitted for.
    const float exponent = t > 4.0F ? -104.0F : p;
    const float large = std::copysign(1.0F - exponential(exponent), x);
    return t > 0.927734375F ? large : small;
}

}  // namespace lockstep::tensor::elementary
