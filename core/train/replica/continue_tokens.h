// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace lockstep::train {

/// How a network writes a text: token by token, drawn by their probabilities.
struct GenerationOptions {
    int tokens = 200;          ///< How many are added.
    double temperature = 0.8;  ///< Logits are divided by it; 0: always the likeliest token.
    std::uint64_t seed = 1;    ///< Decides what is drawn.
};

/// A number for each token that may follow those that are seen.
using NextLogits =
    std::function<Result<std::span<const float>>(std::span<const std::uint16_t> seen)>;

/// Sees the tokens drawn so far behind each of them; false: no more are wanted.
using EachToken = std::function<bool(std::span<const std::uint16_t>)>;

/// The tokens that follow `prompt`: the last `window` of all are seen each time. An empty prompt is
/// token 0. A function of the options and of the logits. `each` may
/// be empty.
[[nodiscard]] Result<std::vector<std::uint16_t>> continueTokens(
    std::span<const std::uint16_t> prompt, std::size_t window, const GenerationOptions& options,
    const NextLogits& next, const EachToken& each = {});

}  // namespace lockstep::train
