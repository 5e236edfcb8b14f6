// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "core/tensor/cpu/layers/folded_rows.h"

namespace lockstep::tensor {

/// A few values for each channel, repeated where rows are folded, in memory of the calling thread
/// that is kept for the next call: only one may be in use at a time.
class ChannelScratch {
public:
    static constexpr std::size_t kArrays = 4;

    explicit ChannelScratch(std::size_t channels)
        : channels_(channels), width_(channels * FoldedRows(channels).fold) {
        memory().resize(std::max(memory().size(), kArrays * width_));
    }
    /// Numbers of a row, folded or not.
    [[nodiscard]] std::size_t width() const { return width_; }

    /// Sets the array `index` to valueOf(channel).
    template <typename ValueOf>
    const float* fill(std::size_t index, ValueOf valueOf) const {
        float* const values = memory().data() + index * width_;
        for (std::size_t c = 0; c < channels_; ++c)
            values[c] = valueOf(c);
        for (std::size_t i = channels_; i < width_; ++i)
            values[i] = values[i - channels_];
        return values;
    }

private:
    static std::vector<float>& memory() {
        thread_local std::vector<float> values;
        return values;
    }

    std::size_t channels_;
    std::size_t width_;
};

}  // namespace lockstep::tensor
