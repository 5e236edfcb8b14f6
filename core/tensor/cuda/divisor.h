// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/tensor/cuda/element_math.h"

namespace lockstep::tensor::cuda {

/// A whole number above 0 that kernels divide by, prepared on the host: a multiplication and a
/// shift in place of the twenty instructions, and the hundred in 64 bits, of a division.
class Divisor {
public:
    Divisor() = default;
    explicit Divisor(std::uint32_t value) : value_(value) {
        while (shift_ < 32 && std::uint64_t{1} << shift_ < value)
            ++shift_;
        const std::uint64_t above = (std::uint64_t{1} << shift_) - value;
        factor_ = static_cast<std::uint32_t>((above << 32U) / value + 1);
    }

    [[nodiscard]] LS_BOTH std::uint32_t value() const { return value_; }
    [[nodiscard]] LS_BOTH std::size_t quotient(std::size_t number) const {
        return number >> 31U != 0 ? number / value_
                                  : smallQuotient(static_cast<std::uint32_t>(number));
    }
    [[nodiscard]] LS_BOTH std::uint32_t remainder(std::size_t number) const {
        return static_cast<std::uint32_t>(number - quotient(number) * value_);
    }
    /// Of a number below 2^31.
    [[nodiscard]] LS_BOTH std::uint32_t smallQuotient(std::uint32_t number) const {
        const auto high = static_cast<std::uint32_t>(std::uint64_t{number} * factor_ >> 32U);
        return (high + number) >> shift_;
    }

private:
    std::uint32_t value_ = 1;
    std::uint32_t factor_ = 1;
    std::uint32_t shift_ = 0;
};

}  // namespace lockstep::tensor::cuda
