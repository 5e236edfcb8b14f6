// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace lockstep::train {

/// How long a step waits when the disk cannot keep up with the checkpoints; then one is left out.
/// Sooner where the one that is being written counts as hung (checkpoint::CommitPace), and this is
/// not the best.
inline constexpr std::chrono::seconds kCommitBacklogTimeout{30};
/// Of the last one there is no newer one to hope for.
inline constexpr std::chrono::seconds kLastBacklogTimeout{300};

[[nodiscard]] inline std::chrono::seconds commitPatience(bool isLast) {
    return isLast ? kLastBacklogTimeout : kCommitBacklogTimeout;
}

}  // namespace lockstep::train
