// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "core/tensor/cuda/element_math.h"
#include "core/tensor/cuda/layers/pointwise.h"

// The activations and their derivatives, for kernels.
namespace lockstep::tensor::cuda {

inline constexpr float kHalfRoot = 0.70710678118654752F;       // 1 / sqrt 2
inline constexpr float kDensityAtZero = 0.39894228040143268F;  // 1 / sqrt(2 pi)
inline constexpr float kTanhScale = 0.79788456080286536F;      // sqrt(2 / pi)
inline constexpr float kTanhCubic = 0.044715F;

LS_BOTH inline float sigmoidOf(float x) {
    const float e = expf(-fabsf(x));  // never overflows
    return (x < 0.0F ? e : 1.0F) / (1.0F + e);
}

LS_BOTH inline float geluTangent(float x) {
    return tanhf(kTanhScale * (x + kTanhCubic * x * x * x));
}

LS_BOTH inline float activated(Activate activate, float x) {
    switch (activate.function) {
        case PointFunction::Linear:
            return x;
        case PointFunction::Relu:
            return relu(x);
        case PointFunction::LeakyRelu:
            return x > 0.0F ? x : x * activate.slope;
        case PointFunction::Gelu:
            return 0.5F * x * (1.0F + erff(x * kHalfRoot));
        case PointFunction::GeluTanh:
            return 0.5F * x * (1.0F + geluTangent(x));
        case PointFunction::Silu:
            return x * sigmoidOf(x);
        case PointFunction::Sigmoid:
            return sigmoidOf(x);
        case PointFunction::Tanh:
            return tanhf(x);
        case PointFunction::Elu:
            return x > 0.0F ? x : activate.slope * expm1f(x);
    }
    return x;
}

LS_BOTH inline float geluTanhDerivative(float x) {
    const float t = geluTangent(x);
    const float inner = kTanhScale * (1.0F + 3.0F * kTanhCubic * x * x);
    return 0.5F * (1.0F + t) + 0.5F * x * (1.0F - t * t) * inner;
}

LS_BOTH inline float siluDerivative(float x) {
    const float s = sigmoidOf(x);
    return s * (1.0F + x * (1.0F - s));
}

/// dy times the derivative.
LS_BOTH inline float gradientOf(Activate activate, float dy, float value) {
    switch (activate.function) {
        case PointFunction::Linear:
            return dy;
        case PointFunction::Relu:
            return maskedByRelu(dy, value);
        case PointFunction::LeakyRelu:
            return dy * (value > 0.0F ? 1.0F : activate.slope);
        case PointFunction::Gelu:
            return dy * (0.5F * (1.0F + erff(value * kHalfRoot)) +
                         value * kDensityAtZero * expf(-0.5F * value * value));
        case PointFunction::GeluTanh:
            return dy * geluTanhDerivative(value);
        case PointFunction::Silu:
            return dy * siluDerivative(value);
        case PointFunction::Sigmoid:
            return dy * (value * (1.0F - value));
        case PointFunction::Tanh:
            return dy * (1.0F - value * value);
        case PointFunction::Elu:
            return dy * (value > 0.0F ? 1.0F : activate.slope * expf(value));
    }
    return dy;
}

}  // namespace lockstep::tensor::cuda
