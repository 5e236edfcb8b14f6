// SPDX-License-Identifier: Apache-2.0
#include "core/tensor/cpu/operations.h"

#include "core/base/check.h"
#include "core/base/hash.h"
#include "core/tensor/cpu/kernels.h"
#include "core/tensor/cpu/softmax.h"

namespace lockstep::tensor {

void scaleBytes(std::span<const std::uint8_t> bytes, std::span<float> floats) {
    LS_CHECK(bytes.size() == floats.size(), "as many floats as bytes are needed");
    bestKernels().scaleBytes(bytes.data(), floats.data(), bytes.size());
}

std::int32_t softmax(std::span<const float> logits, std::span<float> probabilities) {
    LS_CHECK(logits.size() == probabilities.size(), "a probability for each logit is needed");
    const SoftmaxRow row = softmaxRow(logits, probabilities);
    const auto factor = static_cast<float>(1.0 / row.expSum);
    for (float& value : probabilities)
        value *= factor;
    return row.argmax;
}

bool allFinite(std::span<const float> values) {
    return bestKernels().allFinite(values.data(), values.size());
}

std::string stateHash(std::span<const std::span<const float>> parts) {
    ContentHash hash;
    for (const auto part : parts)
        hash.add(std::as_bytes(part));
    return hash.digits();
}

}  // namespace lockstep::tensor
