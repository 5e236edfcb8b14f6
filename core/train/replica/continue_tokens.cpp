// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica/continue_tokens.h"

#include <algorithm>
#include <cmath>

#include "core/base/rng.h"
#include "core/base/try.h"

namespace lockstep::train {

namespace {

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

Result<std::vector<std::uint16_t>> continueTokens(std::span<const std::uint16_t> prompt,
                                                  std::size_t window,
                                                  const GenerationOptions& options,
                                                  const NextLogits& next, const EachToken& each) {
    std::vector<std::uint16_t> text(prompt.begin(), prompt.end());
    if (text.empty()) text.push_back(0);
    const auto begin = std::ssize(text);
    CounterRng rng(options.seed, kStream);
    for (int i = 0; i < options.tokens; ++i) {
        const auto logits = TRY(next(std::span(text).last(std::min(text.size(), window))));
        text.push_back(static_cast<std::uint16_t>(
            chosen(logits, options.temperature, static_cast<double>(rng.nextFloat()))));
        if (each && !each(std::span(text).subspan(static_cast<std::size_t>(begin)))) break;
    }
    return std::vector<std::uint16_t>(text.begin() + begin, text.end());
}

}  // namespace lockstep::train
