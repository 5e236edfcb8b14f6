// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

namespace lockstep::tensor {

/// What softmax and cross-entropy need of one row of logits.
struct SoftmaxRow {
    std::int32_t argmax = 0;  ///< The first of the largest.
    float largest = 0;
    double expSum = 0;  ///< Sum of exp(logit - largest), at least 1 for finite logits.
};

/// Shifts by the largest logit, so that no exponential overflows. Where `exponentials` is not
/// empty it receives exp(logit - largest); it may be `logits` itself. NaN makes expSum NaN.
SoftmaxRow softmaxRow(std::span<const float> logits, std::span<float> exponentials);

/// -log softmax(logits)[label], given that label's logit.
[[nodiscard]] double crossEntropy(const SoftmaxRow& row, float labelLogit);

}  // namespace lockstep::tensor
