// SPDX-License-Identifier: Apache-2.0
#include "core/config/job/evaluator_device.h"

#include <charconv>

namespace lockstep::config {

std::optional<EvaluatorDevice> parseEvaluatorDevice(std::string_view text) {
    constexpr std::string_view kNumbered = "gpu:";
    if (text == "cpu") return EvaluatorDevice{};
    if (text == "gpu") return EvaluatorDevice{.isGpu = true, .gpu = -1};
    if (!text.starts_with(kNumbered)) return std::nullopt;
    const std::string_view digits = text.substr(kNumbered.size());
    int gpu = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), gpu);
    const bool isWhole = error == std::errc{} && end == digits.data() + digits.size();
    if (!isWhole || gpu < 0 || digits.front() == '-') return std::nullopt;
    return EvaluatorDevice{.isGpu = true, .gpu = gpu};
}

}  // namespace lockstep::config
