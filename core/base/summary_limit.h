// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace lockstep {

/// The largest summary.json that is read: a hundred times what a thousand drills on ten thousand
/// GPUs leave.
inline constexpr std::size_t kMostSummaryBytes = std::size_t{64} << 20;

}  // namespace lockstep
