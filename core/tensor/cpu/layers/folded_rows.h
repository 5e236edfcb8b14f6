// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

namespace lockstep::tensor {

/// Rows of few channels seen as fewer, wider ones, so that a loop over a row fills the vectors:
/// `fold` rows lie behind each other in a wide one, and what belongs to a channel is repeated.
struct FoldedRows {
    static constexpr std::size_t kWidth = 32;
    std::size_t fold = 1;

    explicit FoldedRows(std::size_t channels)
        : fold(channels >= kWidth || channels == 0 ? 1 : kWidth / channels) {}
};

/// The values of each channel, repeated where rows are folded; nothing is copied otherwise.
class FoldedValues {
public:
    FoldedValues(const float* values, std::size_t channels, FoldedRows rows) : values_(values) {
        if (rows.fold == 1 || values == nullptr) return;
        for (std::size_t i = 0; i < rows.fold * channels; ++i)
            repeated_[i] = values[i % channels];
        isRepeated_ = true;
    }
    [[nodiscard]] const float* data() const { return isRepeated_ ? repeated_.data() : values_; }

private:
    const float* values_;
    bool isRepeated_ = false;
    std::array<float, FoldedRows::kWidth> repeated_{};
};

}  // namespace lockstep::tensor
