// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace lockstep::config {

/// What EvaluatorSpec::device says.
struct EvaluatorDevice {
    bool isGpu = false;
    int gpu = -1;  ///< This one of the host's; -1: one of its last ones.
};

/// "cpu", "gpu" or "gpu:3"; nothing for anything else.
[[nodiscard]] std::optional<EvaluatorDevice> parseEvaluatorDevice(std::string_view text);

}  // namespace lockstep::config
