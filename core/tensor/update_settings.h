// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace lockstep::tensor {

/// p -= learningRate * g, with momentum as in PyTorch (and, while the rate stays the same, in
/// Keras): b = momentum * b + g; p -= learningRate * b.
struct SgdSettings {
    float learningRate = 0;
    float momentum = 0;
};

/// One step of Adam as in Keras: m += (g - m) * (1 - beta1); v += (g * g - v) * (1 - beta2);
/// p -= stepSize * m / (sqrt(v) + epsilon).
struct AdamSettings {
    float stepSize = 0;  ///< learningRate * sqrt(1 - beta2^t) / (1 - beta1^t), t counted from 1.
    float oneMinusBeta1 = 0;
    float oneMinusBeta2 = 0;
    float epsilon = 0;
};

/// Sums of weights' bits as whole numbers, modulo 2^32: as an update found them, and as it left
/// them. Each is another one whenever one weight is.
struct BitSums {
    std::uint32_t found = 0;
    std::uint32_t left = 0;

    /// Those of other weights.
    void add(const BitSums& other) {
        found += other.found;
        left += other.left;
    }
};

}  // namespace lockstep::tensor
