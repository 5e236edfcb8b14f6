// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>

#include "core/base/clock.h"

namespace lockstep::launch {

/// The longest a host's service waits for a sign of its launcher, whatever that asks for: the
/// bound of launch.lease_seconds.
inline constexpr std::chrono::seconds kLongestLease{3600};
inline constexpr Millis kShortestLease{500};

/// The lease as both ends of a link count it.
[[nodiscard]] inline Nanos leaseWithinBounds(double seconds) {
    const double bounded =
        std::clamp(seconds, Seconds(kShortestLease).count(), Seconds(kLongestLease).count());
    return std::chrono::duration_cast<Nanos>(Seconds(bounded));
}

}  // namespace lockstep::launch
