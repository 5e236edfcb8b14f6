// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/softmax.h"

#include <cmath>

namespace lockstep::tensor {

SoftmaxRow softmaxRow(std::span<const float> logits, std::span<float> exponentials) {
    SoftmaxRow row{.argmax = 0, .largest = logits[0], .expSum = 0};
    for (std::size_t i = 1; i < logits.size(); ++i)
        if (logits[i] > row.largest) {
            row.largest = logits[i];
            row.argmax = static_cast<std::int32_t>(i);
        }
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const float exponential = std::exp(logits[i] - row.largest);
        row.expSum += static_cast<double>(exponential);
        if (!exponentials.empty()) exponentials[i] = exponential;
    }
    return row;
}

double crossEntropy(const SoftmaxRow& row, float labelLogit) {
    return std::log(row.expSum) +
           (static_cast<double>(row.largest) - static_cast<double>(labelLogit));
}

}  // namespace lockstep::tensor
