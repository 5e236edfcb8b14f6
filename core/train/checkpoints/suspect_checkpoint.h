// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace lockstep::train {

/// What a training goes on from, of the disk.
struct CheckpointOrigin {
    std::int64_t step = 0;      ///< 0: it began anew, or goes on from memory.
    std::int64_t interval = 0;  ///< Steps from one checkpoint to the next.
};

/// The checkpoint that may be to blame where a training meets a loss or weights that are no numbers
/// behind step `completed`; 0: none is. What comes later than the next checkpoint, and than ten
/// steps, is none's doing. The coordinator blames none behind which a newer one was committed.
[[nodiscard]] inline std::uint64_t suspectCheckpoint(const CheckpointOrigin& origin,
                                                     std::int64_t completed) {
    constexpr std::int64_t kLeast = 10;
    const bool isSoon = completed - origin.step <= std::max(kLeast, origin.interval);
    return origin.step > 0 && isSoon ? static_cast<std::uint64_t>(origin.step) : 0;
}

}  // namespace lockstep::train
