// SPDX-License-Identifier: GPL-3.0-or-later
// The values that the chart and its peers are fed with.
#pragma once

#include <span>
#include <vector>

#include "core/base/rng.h"

namespace lockstep::bench {

/// Noisy losses that fall: `count` of them from `first` on.
class Losses {
public:
    static constexpr int kMost = 10'000;  ///< A call.

    Losses() {
        CounterRng rng(1);
        for (float& value : noise_)
            value = rng.nextFloat(0.8F, 1.2F);
    }
    std::span<const float> at(int replica, int first, int count) {
        for (int i = 0; i < count; ++i) {
            const auto place = static_cast<std::size_t>(replica * 7919 + first + i);
            values_[static_cast<std::size_t>(i)] =
                noise_[place % noise_.size()] * 2.3F / (1 + float(first + i) * 1e-5F);
        }
        return std::span<const float>(values_).first(static_cast<std::size_t>(count));
    }

private:
    std::vector<float> noise_ = std::vector<float>(1 << 20);
    std::vector<float> values_ = std::vector<float>(kMost);
};

}  // namespace lockstep::bench
