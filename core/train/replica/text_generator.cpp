// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/text_generator.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/try.h"
#include "core/program/compile.h"
#include "core/program/cpu/cpu_executor.h"

namespace lockstep::train {

namespace {

constexpr std::size_t kOutputRank = 2;
}  // namespace

Result<TextGenerator> TextGenerator::make(tensor::Device& device, const program::Network& network) {
    const model::Shape& input = network.graph().input;
    const model::Shape& output = network.graph().output();
    if (input.size() != 1 || output.size() != kOutputRank || output[0] != input[0])
        return fail(ErrorCode::BadInput,
                    fmt::format("the network makes {} of {}, and continues no text",
                                model::toString(output), model::toString(input)),
                    "A network of text gives a number for each token at each position.");
    auto executor = TRY(program::CpuExecutor::make(
        device, program::compile(network.graph(), 1, program::Program::Mode::Evaluation)));
    return TextGenerator(std::move(executor), static_cast<std::size_t>(input[0]),
                         static_cast<std::size_t>(output[1]));
}

Result<std::vector<std::uint16_t>> TextGenerator::continued(const Weights& weights,
                                                            std::span<const std::uint16_t> prompt,
                                                            const GenerationOptions& options,
                                                            const EachToken& each) {
    program::NoReplicaSum alone;
    const auto next = [&](std::span<const std::uint16_t> seen) -> Result<std::span<const float>> {
        // What stands behind the last token is not looked at from its position.
        std::ranges::fill(window_, 0.0F);
        std::ranges::copy(seen, window_.begin());
        const auto outputs = TRY(executor_->forward({.samples = window_, .rows = 1},
                                                    weights.parameters, weights.statistics, alone));
        return std::span<const float>(
            outputs.subspan((seen.size() - 1) * vocabulary_, vocabulary_));
    };
    return continueTokens(prompt, window_.size(), options, next, each);
}

}  // namespace lockstep::train
