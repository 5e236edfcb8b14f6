// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>

// What training does besides networks, losses and updates, on the calling thread. The same bits on
// every instruction set.
namespace lockstep::tensor {

/// floats[i] = bytes[i] / 255; as many of both.
void scaleBytes(std::span<const std::uint8_t> bytes, std::span<float> floats);
/// probabilities = softmax(logits), as many of both; gives the first of the largest.
[[nodiscard]] std::int32_t softmax(std::span<const float> logits, std::span<float> probabilities);
/// No value is NaN or infinite.
[[nodiscard]] bool allFinite(std::span<const float> values);
/// XXH3-128 of the bytes of all parts, one after the other, as 32 hexadecimal digits: equal exactly
/// for bit-identical states.
[[nodiscard]] std::string stateHash(std::span<const std::span<const float>> parts);

}  // namespace lockstep::tensor
