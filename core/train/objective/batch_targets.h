// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/dataset.h"

namespace lockstep::train {

/// What a batch is to be answered with: labels, one for each sample or position, or values.
struct BatchTargets {
    std::span<const std::int32_t> labels{};
    /// Of mixed samples: a second label each, which is 1 less this share, of the first one's.
    std::span<const std::int32_t> others{};
    std::span<const float> shares{};
    std::span<const float> values{};  ///< Samples x values.
};

/// Room for the targets of a batch. One thread.
class TargetBuffer {
public:
    /// Targets as a split stores them; what is given is valid until the next call.
    [[nodiscard]] BatchTargets take(data::TargetKind kind, std::span<const std::uint8_t> stored);

    /// Classes with others mixed in, of which `shares` are the first ones'.
    [[nodiscard]] BatchTargets mix(BatchTargets targets, std::span<const std::uint8_t> others,
                                   std::span<const float> shares);

private:
    std::vector<std::int32_t> labels_;
    std::vector<std::int32_t> others_;
    std::vector<float> values_;
};

}  // namespace lockstep::train
