// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "core/program/executor.h"
#include "core/program/network.h"
#include "core/train/replica/continue_tokens.h"
#include "core/train/replica/evaluation.h"

namespace lockstep::train {

/// Continues texts with a network that gives, at each position of a window of tokens, a number for
/// each token that may follow. One thread.
class TextGenerator {
public:
    /// `network` outlives it, as the device does. BadInput for a network of another form.
    [[nodiscard]] static Result<TextGenerator> make(tensor::Device& device,
                                                    const program::Network& network);

    /// The tokens that follow `prompt`, of which the end that fits the window is seen. An empty
    /// prompt is token 0. `each` may be empty.
    [[nodiscard]] Result<std::vector<std::uint16_t>> continued(
        const Weights& weights, std::span<const std::uint16_t> prompt,
        const GenerationOptions& options, const EachToken& each = {});

private:
    TextGenerator(std::unique_ptr<program::Executor> executor, std::size_t positions,
                  std::size_t vocabulary)
        : executor_(std::move(executor)), window_(positions), vocabulary_(vocabulary) {}

    std::unique_ptr<program::Executor> executor_;
    std::vector<float> window_;  ///< Tokens as the network takes them.
    std::size_t vocabulary_;
};

}  // namespace lockstep::train
