// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/data/dataset.h"

namespace lockstep::data {

inline constexpr int kDigitsVersion = 1;  ///< Grows whenever generated pixels change.
inline constexpr int kDigitsSide = 28;
inline constexpr std::uint32_t kDigitsTrainCount = 60'000;
inline constexpr std::uint32_t kDigitsTestCount = 10'000;

/// Hand-written looking digits 0 to 9, kDigitsSide x kDigitsSide, white on black. Sample `i` is a
/// pure function of `firstIndex + i`: any part can be made alone, by any number of threads.
/// The training set is the samples from 0, the test set follows it.
[[nodiscard]] Split generateDigits(std::uint32_t firstIndex, std::uint32_t count, int threads = 1);

}  // namespace lockstep::data
