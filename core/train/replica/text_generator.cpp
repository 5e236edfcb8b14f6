// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/text_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/rng.h"
#include "core/base/try.h"
#include "core/program/compile.h"
#include "core/program/cpu/cpu_executor.h"

namespace lockstep::train {

namespace {

constexpr std::size_t kOutputRank = 2;
constexpr std::uint64_t kStream = 7;  ///< Of the generator of random numbers.

/// The token at which the running sum of probabilities passes `draw`, from 0 to below 1.
std::size_t chosen(std::span<const float> logits, double temperature, double draw) {
    const auto likeliest = std::ranges::max_element(logits);
    if (temperature <= 0) return static_cast<std::size_t>(likeliest - logits.begin());
    std::vector<double> weights;
    double sum = 0;
    for (const float logit : logits) {
        const double difference = static_cast<double>(logit) - static_cast<double>(*likeliest);
        sum += weights.emplace_back(std::exp(difference / temperature));
    }
    double passed = 0;
    for (std::size_t token = 0; token < weights.size(); ++token) {
        passed += weights[token];
        if (passed > draw * sum) return token;
    }
    return weights.size() - 1;
}

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
                                                            const GenerationOptions& options) {
    std::vector<std::uint16_t> text(prompt.begin(), prompt.end());
    if (text.empty()) text.push_back(0);
    const std::size_t begin = text.size();
    CounterRng rng(options.seed, kStream);
    program::NoReplicaSum alone;
    for (int i = 0; i < options.tokens; ++i) {
        // What stands behind the last token is not looked at from its position.
        const std::size_t seen = std::min(text.size(), window_.size());
        std::ranges::fill(window_, 0.0F);
        std::ranges::copy(std::span(text).last(seen), window_.begin());
        const auto outputs = TRY(executor_->forward({.samples = window_, .rows = 1},
                                                    weights.parameters, weights.statistics, alone));
        const auto logits = outputs.subspan((seen - 1) * vocabulary_, vocabulary_);
        text.push_back(static_cast<std::uint16_t>(
            chosen(logits, options.temperature, static_cast<double>(rng.nextFloat()))));
    }
    return std::vector<std::uint16_t>(text.begin() + static_cast<std::ptrdiff_t>(begin),
                                      text.end());
}

}  // namespace lockstep::train
